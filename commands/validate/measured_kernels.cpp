// kernel_timings.csv: matrix products become cases of kind gemm. There is no kind of case for
// element-wise rows and copies; they were used to fit the memory efficiency.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

constexpr double flops_of_large = 1e9;

/// The table's words for precisions; the first match wins.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> precision_words{{
    {"16 bit", "fp16"},
    {"fp16", "fp16"},
    {"bf16", "bf16"},
    {"fp8", "fp8"},
    {"int8", "int8"},
    {"tf32", "tf32"},
    {"fp32", "fp32"},
}};

std::string_view precision_of(std::string_view words) {
  for (const auto& [begin, precision] : precision_words) {
    if (words.starts_with(begin)) return precision;
  }
  return {};
}

/// Devices of the table without 16-bit matrix units, and those that are not GPUs.
constexpr std::array<std::string_view, 3> outside_goal{"P100", "K80", "TPU"};

bool within_goal(std::string_view device) {
  for (const std::string_view name : outside_goal) {
    if (device.starts_with(name)) return false;
  }
  return true;
}

MeasureClass class_of(std::string_view device, double flops) {
  if (flops < flops_of_large) return MeasureClass::small_kernel;
  return within_goal(device) ? MeasureClass::gemm : MeasureClass::other;
}

Result<Measurement> product(const CsvTable& table, const CsvRow& row) {
  const std::string& operation = table.cell(row, "op");
  if (!operation.starts_with("gemm")) return error("{} is not a case", operation);
  Measurement found;
  const std::string_view precision = precision_of(table.cell(row, "dtype"));
  if (precision.empty()) return error("dtype: found \"{}\"", table.cell(row, "dtype"));
  double flops = 2;
  for (const auto& [column, name] : {std::pair{CaseColumn::m, "m"}, std::pair{CaseColumn::n, "n"},
                                     std::pair{CaseColumn::k, "k"}}) {
    found.row[column] = table.cell(row, name);
    flops *= number(found.row[column]);
  }
  found.value = number(table.cell(row, "ms"));
  if (!(flops > 0) || !(found.value > 0)) return error("m, n, k or ms: expected numbers above 0");
  found.row[CaseColumn::id] = fmt::format("kernel-{}", row.line);
  found.row[CaseColumn::kind] = "gemm";
  found.row[CaseColumn::device] = table.cell(row, "device");
  found.row[CaseColumn::precision] = precision;
  found.answer = "time_ms";
  found.measure_class = class_of(found.row[CaseColumn::device], flops);
  found.source = repository(table.cell(row, "source"));
  found.remark = table.cell(row, "notes");
  return found;
}

}  // namespace

MeasuredTable measured_kernels(const CsvTable& table) {
  return read_rows(table, [&](const CsvRow& row) { return product(table, row); });
}

}  // namespace drover::commands
