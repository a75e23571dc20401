// Converts logs of boards under load to comparisons, one for each point in time.
#include <fmt/format.h>

#include "commands/validate/measured_temperature.h"
#include "commands/validate/validate_tables.h"

namespace drover::commands {

Result<std::optional<MeasuredRows>> logged_rows(const CsvTable& table,
                                                const devices::Catalogue& catalogue) {
  const auto courses = temperature_courses(table, catalogue);
  if (!courses) return courses.error();
  if (courses->empty()) return std::optional<MeasuredRows>{};
  MeasuredRows rows;
  for (const TemperatureCourse& course : *courses) {
    for (const TemperaturePoint& point : course.points) {
      Comparison of;
      of.class_id = "temperature";
      of.device = course.device;
      of.source = table.place;
      of.location = fmt::format("{}:{}", table.place, point.line);
      of.label = fmt::format("{} {} after {:.0f} s", course.sensor, course.window, point.t_s);
      of.given = of.location + course.sensor;
      of.unit = "C, " + course.sensor;
      of.measured = point.measured_c;
      of.predicted = point.modelled_c;
      rows.courses.push_back(std::move(of));
    }
  }
  return std::optional<MeasuredRows>(std::move(rows));
}

}  // namespace drover::commands
