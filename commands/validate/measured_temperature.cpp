#include "commands/validate/measured_temperature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "devices/board/thermal_model.h"
#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover::commands {
namespace {

/// The boards of the logs. The inlet temperatures were fitted together with the heat sinks, because
/// the logs do not have them. Without one it is derived from the coolest moment of the log.
struct Bench {
  std::string_view file_prefix, device;
  std::optional<double> inlet_c;
};
constexpr std::array<Bench, 6> benches{{{"h100pcie", "h100-pcie", 19.6},
                                        {"h800sxm", "h800-sxm", 26.2},
                                        {"h100sxm", "h100-sxm", {}},
                                        {"h200sxm", "h200-sxm", {}},
                                        {"h20", "h20-sxm", {}},
                                        {"a100sxm", "a100-sxm-80gb", {}}}};

/// A board is idle if its power is at most this multiple of the lowest power of the log.
constexpr double idle_factor = 1.2;

struct LogRow {
  std::size_t line = 0;
  devices::PowerLogEntry power;
  double die_c = 0;
  std::optional<double> memory_c;
};

Result<std::optional<double>> number(const CsvTable& table, const CsvRow& row,
                                     std::string_view column) {
  const std::string& cell = table.cell(row, column);
  if (cell.empty()) return std::optional<double>{};
  const auto value = parse_whole_text<double>(cell);
  if (!value || !std::isfinite(*value)) {
    return error("{}:{}: {}: found \"{}\", expected a number", table.place, row.line, column,
                 printable(cell));
  }
  return value;
}

/// No value if a required cell is blank.
Result<std::optional<LogRow>> read_log_row(const CsvTable& table, const CsvRow& row) {
  constexpr std::array<std::string_view, 5> names{"t_s", "temp_gpu_c", "temp_mem_c",
                                                  "power_instant_w", "power_avg_w"};
  std::array<std::optional<double>, names.size()> values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    DROVER_ASSIGN(values[i], number(table, row, names[i]));
  }
  const std::optional<double> power_w = values[3] ? values[3] : values[4];
  if (!values[0] || !values[1] || !power_w) return std::optional<LogRow>{};
  return std::optional<LogRow>{LogRow{row.line, {*values[0], *power_w}, *values[1], values[2]}};
}

const Bench* bench_of(std::string_view place) {
  const std::size_t slash = place.find_last_of('/');
  const std::string_view file = slash == std::string_view::npos ? place : place.substr(slash + 1);
  const auto found = std::find_if(benches.begin(), benches.end(), [&](const Bench& bench) {
    return file.starts_with(bench.file_prefix);
  });
  return found == benches.end() ? nullptr : &*found;
}

TemperatureTrace compare(const std::vector<LogRow>& rows,
                         const std::vector<devices::ModelledTemperatures>& modelled, bool memory) {
  TemperatureTrace course;
  course.sensor = memory ? "memory" : "die";
  double squares = 0, sum = 0, next_s = rows.front().power.t_s;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (memory && !rows[i].memory_c) continue;
    const double measured_c = memory ? *rows[i].memory_c : rows[i].die_c;
    const double modelled_c = memory ? modelled[i].memory_c : modelled[i].die_c;
    const double error_c = modelled_c - measured_c;
    squares += error_c * error_c;
    sum += error_c;
    ++course.rows;
    if (rows[i].power.t_s < next_s) continue;
    course.points.push_back({rows[i].line, rows[i].power.t_s, measured_c, modelled_c});
    next_s += 1;
  }
  if (course.rows > 0) {
    course.rms_c = std::sqrt(squares / static_cast<double>(course.rows));
    course.bias_c = sum / static_cast<double>(course.rows);
  }
  return course;
}

/// Assumes that the board was in steady state at its coolest idle moment. REQUIRES rows.
double coolest_inlet_c(const std::vector<LogRow>& rows, const devices::DeviceSpec& device) {
  const auto idlest =
      std::ranges::min_element(rows, {}, [](const LogRow& row) { return row.power.power_w; });
  const LogRow* coolest = &*idlest;
  for (const LogRow& row : rows) {
    const bool idle = row.power.power_w <= idle_factor * idlest->power.power_w;
    if (idle && row.die_c < coolest->die_c) coolest = &row;
  }
  return devices::inlet_for_steady_state(device.thermal.cooling, coolest->die_c,
                                         coolest->power.power_w);
}

/// Both sensors of one window of a log. REQUIRES rows.
void add_window(const std::string& window, const std::vector<LogRow>& rows, const Bench& bench,
                const devices::DeviceSpec& device, std::vector<TemperatureTrace>& courses) {
  const double inlet_c = bench.inlet_c ? *bench.inlet_c : coolest_inlet_c(rows, device);
  std::vector<devices::PowerLogEntry> power;
  for (const LogRow& row : rows) power.push_back(row.power);
  const auto modelled = replay_temperatures(device.thermal, inlet_c, rows.front().die_c, power);
  for (const bool memory : {false, true}) {
    TemperatureTrace course = compare(rows, modelled, memory);
    if (course.rows == 0) continue;
    course.device = device.id;
    course.window = window;
    course.inlet_c = inlet_c;
    course.inlet_known = bench.inlet_c.has_value();
    courses.push_back(std::move(course));
  }
}

}  // namespace

Result<std::vector<TemperatureTrace>> temperature_courses(const CsvTable& table,
                                                          const devices::Catalogue& catalogue) {
  std::vector<TemperatureTrace> courses;
  const Bench* bench = bench_of(table.place);
  if (bench == nullptr || !table.column("t_s") || !table.column("temp_gpu_c")) return courses;
  DROVER_ASSIGN(const auto device, catalogue.device(bench->device));
  std::vector<LogRow> rows;
  std::string window;
  const auto close = [&] {
    if (!rows.empty()) add_window(window, rows, *bench, device->spec, courses);
    rows.clear();
  };
  for (const CsvRow& cells : table.rows) {
    DROVER_ASSIGN(const auto row, read_log_row(table, cells));
    if (!row) continue;
    const std::string& named = table.cell(cells, "workload_window");
    const bool back = !rows.empty() && row->power.t_s < rows.back().power.t_s;
    if (named != window || back) close();
    window = named;
    rows.push_back(*row);
  }
  close();
  return courses;
}

}  // namespace drover::commands
