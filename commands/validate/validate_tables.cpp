#include "commands/validate/validate_tables.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "commands/validate/measured_cells.h"
#include "commands/validate/measured_temperature.h"
#include "commands/validate/validate_run.h"
#include "devices/estimate/estimate.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

using Reader = MeasuredTable (*)(const CsvTable&);

struct KnownTable {
  std::vector<std::string_view> columns;  // no other table has all of them
  std::vector<Reader> readers;            // each converts the rows of its classes
};

const std::vector<KnownTable>& known_tables() {
  static const std::vector<KnownTable> tables = {
      {{"answer", "value", "kind", "device"}, {measured_points}},
      {{"op", "dtype", "ms"}, {measured_kernels}},
      {{"collective", "size_bytes", "ms"}, {measured_collectives}},
      {{"parallelism", "global_batch", "measured"}, {measured_training, measured_classic_training}},
      {{"batch_or_concurrency", "scenario", "measured"},
       {measured_serving, measured_classic_inference}},
      {{"power_limit_w", "optimizer", "throughput"}, {measured_capping}},
      {{"power_scope", "workload", "energy_unit"}, {measured_serving_energy, measured_power}},
  };
  return tables;
}

bool has_columns(const CsvTable& table, const KnownTable& known) {
  return std::ranges::all_of(known.columns,
                             [&](std::string_view name) { return table.column(name).has_value(); });
}

std::optional<MeasureClass> parse_class(std::string_view id) {
  const auto& classes = error_classes();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].id == id) return static_cast<MeasureClass>(i);
  }
  return std::nullopt;
}

Result<Measurement> read_point(const CsvTable& table, const CsvRow& row) {
  Measurement point;
  const auto answer = figure_column(table.cell(row, "answer"));
  if (!answer) {
    return error("answer: found \"{}\", expected a figure of the estimate, such as time_ms",
                 excerpt(table.cell(row, "answer")));
  }
  DROVER_ASSIGN(const auto value, parse_number(table.cell(row, "value"), "value"));
  if (!(value > 0)) return error("value: found {}, expected a number above 0", value);
  const std::string& class_id = table.cell(row, "class");
  const auto measure_class = class_id.empty() ? MeasureClass::other : parse_class(class_id);
  if (!measure_class) return error("class: unknown \"{}\"", excerpt(class_id));
  for (std::size_t i = 0; i < devices::case_column_count; ++i) {
    const auto column = static_cast<devices::CaseColumn>(i);
    point.row[column] = table.cell(row, to_text(column));
  }
  point.answer = *answer;
  point.value = value;
  point.measure_class = *measure_class;
  point.source = table.cell(row, "source");
  point.remark = table.cell(row, "remark");
  if (point.measure_class == MeasureClass::capped) {
    if (point.row[devices::CaseColumn::power_limit_w].empty()) {
      return error("power_limit_w is required: the limit under which it ran");
    }
    if (!grows_with_speed(point.answer)) {
      return error("answer: found \"{}\", expected a rate, such as samples_per_s", point.answer);
    }
    point.uncapped_line = row.line;
    point.uncapped_value = 1;
  }
  return point;
}

/// A case with its figure as one text. The figure of a capped row is the share of the uncapped
/// rate, however its table gives it.
std::string figure_text(const Measurement& measurement) {
  std::string text;
  for (std::size_t i = 1; i < devices::case_column_count; ++i) {
    text += measurement.row[static_cast<devices::CaseColumn>(i)] + '\n';
  }
  if (measurement.measure_class != MeasureClass::capped) {
    return text + fmt::format("{} {:.6g}", measurement.answer, measurement.value);
  }
  return text + fmt::format("{:.6g}", capped_share(measurement));
}

}  // namespace

void append(MeasuredRows& rows, MeasuredRows more) {
  std::ranges::move(more.measurements, std::back_inserter(rows.measurements));
  std::ranges::move(more.courses, std::back_inserter(rows.courses));
  std::ranges::move(more.left_out, std::back_inserter(rows.left_out));
}

MeasuredTable measured_points(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& row) { return read_point(table, row); });
}

std::optional<MeasuredRows> measured_rows(const CsvTable& table) {
  const auto& tables = known_tables();
  const auto known =
      std::ranges::find_if(tables, [&](const KnownTable& it) { return has_columns(table, it); });
  if (known == tables.end()) return std::nullopt;
  MeasuredRows rows;
  std::set<std::size_t> measured;
  std::map<std::size_t, std::string> skipped;  // another reader may convert these rows
  for (const Reader reader : known->readers) {
    MeasuredTable part = reader(table);
    for (Measurement& measurement : part.measurements) {
      measured.insert(measurement.line);
      rows.measurements.push_back(std::move(measurement));
    }
    for (SkippedRow& row : part.skipped) skipped.try_emplace(row.line, std::move(row.why));
  }
  for (auto& [line, why] : skipped) {
    if (measured.contains(line)) continue;
    rows.left_out.push_back({fmt::format("{}:{}", table.place, line), std::move(why)});
  }
  return rows;
}

Result<std::optional<MeasuredRows>> logged_rows(const CsvTable& table,
                                                const devices::Catalogue& catalogue) {
  DROVER_ASSIGN(const auto courses, temperature_courses(table, catalogue));
  if (courses.empty()) return std::optional<MeasuredRows>{};
  MeasuredRows rows;
  for (const TemperatureTrace& course : courses) {
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

Result<MeasuredRows> reference_rows(const devices::Catalogue& catalogue) {
  MeasuredRows all;
  for (const ReferenceTable& it : reference_tables()) {
    DROVER_ASSIGN(const auto table, CsvTable::parse(it.text, fmt::format("drover/{}", it.file)));
    std::optional<MeasuredRows> rows = measured_rows(table);
    if (!rows) {
      DROVER_ASSIGN(rows, logged_rows(table, catalogue));
    }
    if (!rows) return error("{}: not a table of measurements", it.file);
    append(all, *std::move(rows));
  }
  return all;
}

MeasuredRows without_repeats(MeasuredRows own, const MeasuredRows& tables) {
  std::set<std::string> figures;
  for (const Measurement& it : tables.measurements) figures.insert(figure_text(it));
  std::erase_if(own.measurements,
                [&](const Measurement& it) { return figures.contains(figure_text(it)); });
  return own;
}

}  // namespace drover::commands
