#include "devices/estimate/estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "devices/case/case.h"
#include "devices/estimate/parts.h"

namespace drover::devices {
namespace {

/// Usual inlet temperature of data centres (ASHRAE recommends 18 to 27 C).
constexpr double usual_inlet_c = 22;

using EstimateOf = Result<Estimate> (*)(const Case&);
constexpr std::array<EstimateOf, case_kind_count> estimates{
    estimate_gemm,   estimate_attention, estimate_attention, estimate_training,  estimate_prefill,
    estimate_decode, estimate_serving,   estimate_inference, estimate_collective};

std::string figure(double value) {
  return value < 0 || !std::isfinite(value) ? "" : fmt::format("{:.6g}", value);
}

}  // namespace

std::string_view Estimate::bound() const {
  const auto largest = std::max_element(parts.begin(), parts.end());
  return to_text(static_cast<TimeComponent>(largest - parts.begin()));
}

Result<Estimate> estimate(const Case& question) {
  DROVER_REQUIRE(question.device != nullptr);
  Result<Estimate> answer = estimates[static_cast<std::size_t>(question.kind)](question);
  if (!answer) return answer;
  if (answer->temperature_c < 0 && answer->power_w >= 0) {
    const Cooling& cooling = question.device->thermal.cooling;
    const double resistance = cooling.die_k_per_w + cooling.sink_k_per_w;
    answer->temperature_c = usual_inlet_c + resistance * answer->power_w;
  }
  if (!question.note.empty()) {
    answer->note = answer->note.empty() ? question.note : question.note + "; " + answer->note;
  }
  return answer;
}

std::array<std::string, estimate_columns.size()> estimate_cells(const Estimate& answer) {
  return {figure(answer.seconds * 1e3),
          figure(answer.samples_per_s),
          figure(answer.tokens_per_s),
          figure(answer.tflops_per_device),
          answer.mfu < 0 ? "" : figure(answer.mfu * 100),
          answer.ttft_s < 0 ? "" : figure(answer.ttft_s * 1e3),
          answer.tpot_s < 0 ? "" : figure(answer.tpot_s * 1e3),
          figure(answer.power_w),
          figure(answer.energy_j),
          answer.memory.total() > 0 ? figure(answer.memory.total() / bytes_per_gib) : "",
          figure(answer.cost_usd),
          std::string(answer.cost_usd < 0 ? "" : answer.cost_unit),
          std::string(answer.bound()),
          answer.feasible ? "true" : "false",
          answer.note};
}

}  // namespace drover::devices
