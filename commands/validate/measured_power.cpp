// Watts of energy_power.csv: the mean power of a board while it serves, generates or multiplies.
//
// Serving (ML.ENERGY) is predicted as the inter-token step whose time is in the same row.
// Generation without a cache (energy-inference) computes the whole sequence for each token, which
// is a prefill of the mean length. Whole nodes, idle figures, all-zero products and image
// generators are not cases of a board under load.
#include <map>

#include <fmt/format.h>

#include "commands/validate/measured.h"
#include "commands/validate/measured_cells.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

/// Shorter runs cover too few periods of the energy counter.
constexpr double run_s_min = 1.2;
/// With fewer tokens the host limits a step of the transformers library.
constexpr double host_bound_tokens = 256;

class PowerRow {
 public:
  /// `step`: the row's inter-token step, or null.
  PowerRow(const CsvTable& table, const CsvRow& row, const Measurement* step)
      : table_(table), row_(row), step_(step) {
    found_.source = repository(text("source"));
    found_.answer = "avg_power_w";
    found_.measure_class = MeasureClass::power;
    found_.value = number(text("avg_power_w")) / number(text("n_devices"));
    set(CaseColumn::id, fmt::format("power-{}", row.line));
    set(CaseColumn::device, text("device"));
    set(CaseColumn::devices, text("n_devices"));
    set(CaseColumn::model, text("model"));
  }

  /// Why the row is not a case; empty if it is one.
  std::string read() {
    const std::string& scope = text("power_scope");
    if (!(found_.value > 0)) return "no power";
    if (scope.find("GPU board") == std::string::npos) return "not the power of a board: " + scope;
    const std::string& workload = text("workload");
    if (has(workload, "serving")) return read_serving();
    if (has(workload, "use_cache=False")) return read_generation(workload);
    if (has(workload, "HF transformers")) return read_single(workload);
    if (has(workload, "GEMM")) return read_product(workload);
    return "no kind of case: " + workload;
  }

  Measurement take() { return std::move(found_); }

 private:
  const std::string& text(std::string_view column) const { return table_.cell(row_, column); }
  void set(CaseColumn column, std::string value) { found_.row[column] = std::move(value); }

  /// The same case as the inter-token time: the power during a step of the mean batch.
  std::string read_serving() {
    if (step_ == nullptr) return "no inter-token step";
    found_.row = step_->row;
    set(CaseColumn::id, fmt::format("power-{}", row_.line));
    return "";
  }

  std::string read_generation(const std::string& workload) {
    if (number(text("latency")) < run_s_min) return "too short for the energy counter";
    const double input = number(number_after(workload, "input "));
    const double output = number(number_after(workload, "limit "));
    set(CaseColumn::kind, "prefill");
    set(CaseColumn::batch, "1");
    set(CaseColumn::input_len, fmt::format("{:.0f}", input + output / 2));
    set(CaseColumn::pp, text("n_devices"));  // layers on one device after the other
    set(CaseColumn::precision, has(text("device"), "V100") ? "fp16" : "bf16");
    // The table has one name for both boards of this source; the cluster distinguishes them.
    if (has(text("notes"), "palmetto") && has(text("device"), "A100")) {
      set(CaseColumn::device, "A100-PCIe-40GB");
    }
    found_.remark = "no KV cache";
    // On short sequences the library's host time, 30 ms per token, hides the device time; with
    // layers on several devices, one works at a time.
    if (input + output / 2 < host_bound_tokens || text("n_devices") != "1") {
      found_.measure_class = MeasureClass::other;
      found_.remark = "no KV cache; the host is slower than the device, or devices take turns";
    }
    return "";
  }

  std::string read_single(const std::string& workload) {
    set(CaseColumn::kind, "decode");
    set(CaseColumn::batch, "1");
    set(CaseColumn::context_len, "150");
    set(CaseColumn::precision, "fp16");
    found_.remark = "transformers library: the host is slower than the device";
    found_.measure_class = has(workload, "2023") ? MeasureClass::other : MeasureClass::power;
    return "";
  }

  std::string read_product(const std::string& workload) {
    if (!has(workload, "random")) return "the pattern of the data is not random";
    const std::string edge = number_after(text("model"), "GEMM ");
    for (const CaseColumn column : {CaseColumn::m, CaseColumn::n, CaseColumn::k}) set(column, edge);
    set(CaseColumn::kind, "gemm");
    set(CaseColumn::model, "");
    set(CaseColumn::precision, text("precision"));
    set(CaseColumn::power_limit_w, number_after(text("notes"), "board limit "));
    return "";
  }

  const CsvTable& table_;
  const CsvRow& row_;
  const Measurement* step_;
  Measurement found_;
};

}  // namespace

MeasuredTable measured_power(const CsvTable& table) {
  const MeasuredTable steps = measured_serving_energy(table);
  std::map<std::size_t, const Measurement*> step_of_line;
  for (const Measurement& step : steps.measurements) step_of_line[step.line] = &step;
  return read_rows(table, [&](const CsvRow& row) -> Result<Measurement> {
    const auto step = step_of_line.find(row.line);
    PowerRow power(table, row, step == step_of_line.end() ? nullptr : step->second);
    if (std::string why = power.read(); !why.empty()) return Error{std::move(why)};
    return power.take();
  });
}

}  // namespace drover::commands
