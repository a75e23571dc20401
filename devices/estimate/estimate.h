// The answer to a case: time, what it is made of, what bounds it, memory, power, cost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/case/case.h"
#include "devices/catalogue/spec.h"
#include "devices/operation/memory_use.h"
#include "devices/operation/step.h"
#include "fleet/base/result.h"

namespace drover::devices {

struct Estimate {
  double seconds = 0;  // kernel, collective, training step, prefill, inter-token step, static batch
  std::array<double, part_count> parts{};  // of `seconds`, by Part
  bool feasible = true;                    // it fits; the figures hold as if it did
  std::string note;                        // why not, or what was assumed

  // Rates of all devices together; negative: does not apply.
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
  double temperature_c = -1;   // of the die in the end, at the usual inlet temperature

  /// What most of the time goes to.
  std::string_view bound() const;
};

/// The error says why a case cannot be predicted: what is missing or impossible.
Result<Estimate> estimate(const Case& question);

/// By kind; each fills what applies. REQUIRES the case's kind.
Result<Estimate> estimate_gemm(const Case& question);
Result<Estimate> estimate_attention(const Case& question);
Result<Estimate> estimate_collective(const Case& question);
Result<Estimate> estimate_training(const Case& question);
Result<Estimate> estimate_prefill(const Case& question);
Result<Estimate> estimate_decode(const Case& question);
Result<Estimate> estimate_serving(const Case& question);
Result<Estimate> estimate_inference(const Case& question);

/// Columns of the answer, after those of the case.
inline constexpr std::array<std::string_view, 15> estimate_columns{
    "time_ms",  "samples_per_s", "tokens_per_s", "tflops_per_device", "mfu_pct",
    "ttft_ms",  "tpot_ms",       "avg_power_w",  "energy_j",          "memory_gib",
    "cost_usd", "cost_unit",     "bound",        "feasible",          "note"};
/// The cells under them; empty where a figure does not apply.
std::array<std::string, estimate_columns.size()> estimate_cells(const Estimate& answer);

/// How well the numbers are known that most of the answer's time rests on: the weakest basis of
/// them, "datasheet", "fitted" or "assumed".
std::string_view confidence(const Case& question);

/// The engine that a case is answered with; nothing where none takes part.
std::optional<Engine> engine_of(const Case& question);

/// A number that the answer rests on and that no datasheet says.
struct Ground {
  std::string_view fact;  // "serving.weights_share"
  Basis basis = Basis::assumed;
  std::string note;  // to what it was fitted, why it was assumed
};
/// Of the numbers that most of the answer's time rests on.
std::vector<Ground> grounds(const Case& question);

}  // namespace drover::devices
