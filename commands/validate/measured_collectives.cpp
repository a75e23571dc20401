// Collective timings: device, collective, n_devices, devices_per_node, size_bytes, ms.
#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"
#include "commands/validate/validation_report.h"
#include "fleet/base/units.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

/// Below this size start-up costs dominate, and no goal is set.
constexpr double large_bytes = 1024.0 * 1024.0;

/// A remark on figures that no model can match.
std::string remark_on(const std::string& device, const std::string& collective) {
  const bool pair = device.find("pairwise NVLink") != std::string::npos;
  if (pair && collective == "send_recv" && device.find("A40") == std::string::npos) {
    return "the files of the A100 and H100 pairs are identical and exceed the bridge's 300 GB/s";
  }
  return "";
}

Result<Measurement> collective(const CsvTable& table, const CsvRow& row) {
  const auto cell = [&](std::string_view column) { return table.cell(row, column); };
  DROVER_ASSIGN(const auto milliseconds, parse_number(cell("ms"), "ms"));
  DROVER_ASSIGN(const auto bytes, parse_number(cell("size_bytes"), "size_bytes"));
  if (!(milliseconds > 0)) return error("ms: found 0 or less");
  Measurement measurement;
  measurement.row[CaseColumn::kind] = "collective";
  measurement.row[CaseColumn::device] = cell("device");
  measurement.row[CaseColumn::devices] = cell("n_devices");
  measurement.row[CaseColumn::devices_per_node] = cell("devices_per_node");
  measurement.row[CaseColumn::collective] = cell("collective");
  measurement.row[CaseColumn::bytes] = cell("size_bytes");
  measurement.answer = "time_ms";
  measurement.value = milliseconds;
  measurement.measure_class = bytes >= large_bytes ? MeasureClass::collective : MeasureClass::other;
  measurement.source = short_source(cell("source"));
  measurement.remark = remark_on(cell("device"), cell("collective"));
  return measurement;
}

}  // namespace

MeasuredTable measured_collectives(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& row) { return collective(table, row); });
}

}  // namespace drover::commands
