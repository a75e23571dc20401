#include "devices/estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "devices/case.h"

namespace drover::devices {
namespace {

/// The air that machine halls give (ASHRAE recommends 18 to 27 C).
constexpr double usual_inlet_c = 22;

using EstimateOf = Result<Estimate> (*)(const Case&);
constexpr std::array<EstimateOf, case_kind_count> estimates{
    estimate_gemm,   estimate_attention, estimate_attention, estimate_training,  estimate_prefill,
    estimate_decode, estimate_serving,   estimate_inference, estimate_collective};

/// The two numbers that most of an answer's time rests on, by kind.
using MainFacts = std::array<std::string_view, 2>;
constexpr MainFacts attention_facts{"attention.matrix_share", "attention.cache_efficiency"};
constexpr MainFacts prompt_facts{"serving.product_share", "serving.weights_share"};
constexpr std::array<MainFacts, case_kind_count> main_facts{{
    {"matrix.efficiency", "matrix.operand_efficiency"},
    attention_facts,
    attention_facts,
    {"training.matrix_share", "training.attention_share"},
    prompt_facts,
    {"serving.weights_share", "serving.request_us"},
    prompt_facts,
    {"layers.fp16", "layers.kernel_cycles"},
    {"links.ring_share", "links.ring_start_us"},
}};

std::string figure(double value) {
  return value < 0 || !std::isfinite(value) ? "" : fmt::format("{:.6g}", value);
}

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

}  // namespace

std::string_view Estimate::bound() const {
  const auto largest = std::max_element(parts.begin(), parts.end());
  return to_text(static_cast<Part>(largest - parts.begin()));
}

Result<Estimate> estimate(const Case& question) {
  DROVER_REQUIRE(question.device != nullptr);
  Result<Estimate> answer = estimates[static_cast<std::size_t>(question.kind)](question);
  if (!answer) return answer;
  if (answer->temperature_c < 0 && answer->power_w >= 0) {
    const double resistance = question.device->die_resistance + question.device->sink_resistance;
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
          answer.memory.total() > 0 ? figure(answer.memory.total() / gib) : "",
          figure(answer.cost_usd),
          std::string(answer.cost_usd < 0 ? "" : answer.cost_unit),
          std::string(answer.bound()),
          answer.feasible ? "true" : "false",
          answer.note};
}

std::string_view confidence(const Case& question) {
  Basis weakest = Basis::datasheet;
  for (const Ground& ground : grounds(question)) weakest = std::max(weakest, ground.basis);
  return to_text(weakest);
}

std::vector<Ground> grounds(const Case& question) {
  std::vector<Ground> found;
  for (const std::string_view fact : main_facts[static_cast<std::size_t>(question.kind)]) {
    const auto basis = question.device->bases.find(fact);
    if (basis == question.device->bases.end() || basis->second.basis == Basis::datasheet) continue;
    found.push_back({fact, basis->second.basis, basis->second.note});
  }
  return found;
}

}  // namespace drover::devices
