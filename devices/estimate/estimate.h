// The estimate for a case: time by component, bound, memory, power, cost.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"
#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "fleet/base/result.h"

namespace drover::devices {

struct Estimate {
  double seconds = 0;  // kernel, collective, training step, prefill, inter-token step, static batch
  std::array<double, part_count> parts{};  // of `seconds`, by TimeComponent
  bool feasible = true;                    // it fits; else the figures are as if it did
  std::string note;                        // why it does not fit, or what was assumed

  // Rates of all devices together; negative: not applicable.
  double samples_per_s = -1;
  double tokens_per_s = -1;
  double tflops_per_device = -1;  // (6 x active parameters + 12 x layers x hidden x seq) x tokens
  double mfu = -1;                // of the peak in the computing precision
  double ttft_s = -1, tpot_s = -1;
  double power_w = -1;   // per device, averaged
  double energy_j = -1;  // of all devices: per step, batch, kernel; serve: per output token
  double cost_usd = -1;
  std::string_view cost_unit;  // "step", "million tokens", ..
  MemoryUse memory;            // per device
  double clock_share = 1;      // of the nominal clock, under the power limit
  double temperature_c = -1;   // of the die in steady state, at the usual inlet temperature

  /// The component with most of the time.
  std::string_view bound() const;
};

/// The error says why a case cannot be estimated: what is missing or impossible.
Result<Estimate> estimate(const Case& question);

/// The estimates by kind; each sets the figures that apply. REQUIRES the case's kind.
Result<Estimate> estimate_gemm(const Case& question);
Result<Estimate> estimate_attention(const Case& question);
Result<Estimate> estimate_collective(const Case& question);
Result<Estimate> estimate_training(const Case& question);
Result<Estimate> estimate_prefill(const Case& question);
Result<Estimate> estimate_decode(const Case& question);
Result<Estimate> estimate_serving(const Case& question);
Result<Estimate> estimate_inference(const Case& question);

/// Columns of the estimate, after those of the case.
inline constexpr std::array<std::string_view, 15> estimate_columns{
    "time_ms",  "samples_per_s", "tokens_per_s", "tflops_per_device", "mfu_pct",
    "ttft_ms",  "tpot_ms",       "avg_power_w",  "energy_j",          "memory_gib",
    "cost_usd", "cost_unit",     "bound",        "feasible",          "note"};
/// The cells of these columns; empty when a figure does not apply.
std::array<std::string, estimate_columns.size()> estimate_cells(const Estimate& answer);

/// The weakest basis of the numbers that determine most of the estimated time: "datasheet",
/// "fitted" or "assumed".
std::string_view confidence(const Case& question);

/// The engine used for the estimate; none for kinds without one.
std::optional<ServingEngine> engine_of(const Case& question);

/// A number behind the estimate that is not from a datasheet.
struct EstimateProvenance {
  std::string_view fact;  // "serving.weights_share"
  Basis basis = Basis::assumed;
  std::string note;  // what it was fitted to, or why it was assumed
};
/// The provenance of the numbers that determine most of the estimated time.
std::vector<EstimateProvenance> provenance(const Case& question);

}  // namespace drover::devices
