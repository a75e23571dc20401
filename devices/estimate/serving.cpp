// Estimates of prompts, inter-token steps, and both together at saturation.
//
// Missing values have defaults: the context of a chat for decode, MLPerf's mean Llama 2 request for
// serve. Without degrees of parallelism, prefill and decode use one replica over all devices, and
// serve uses as many replicas as leave each one memory for caches.
#include <algorithm>

#include <fmt/format.h>

#include "devices/estimate/parts.h"
#include "devices/serving/replica.h"

namespace drover::devices {
namespace {

/// Context of a chat: the prompt and half of the response (fitted: ML.ENERGY, lm-arena-chat: 550
/// prompt tokens with the system prompt and earlier turns, responses of 350 to 900).
constexpr double usual_prompt = 550;
constexpr double usual_context = 850;
/// Mean tokens of prompt and of response in MLPerf's Llama 2 70B (OpenOrca) requests.
constexpr double usual_request = 294;

int given(std::optional<int> degree) { return degree.value_or(0); }

ServingPlan plan_of(const Case& question) {
  if (!question.tensor && !question.pipeline && !question.data && !question.expert) {
    return serving_plan(question.devices, question.devices, 1, 1, 1);
  }
  return serving_plan(question.devices, given(question.tensor), given(question.pipeline),
                      given(question.data), given(question.expert));
}

ServingReplica replica_of(const Case& question, Precision weights, const ServingPlan& plan,
                          double clock_share) {
  return {*question.device, *question.model, weights, plan, *engine_of(question), clock_share};
}

void set_memory(Estimate& answer, const ServingReplica& replica, double tokens) {
  const ServingMemory memory = serving_memory(replica);
  const double cache = cache_bytes_each(replica) * tokens;
  answer.memory.weights = memory.weights;
  answer.memory.reserved = memory.reserved;
  answer.memory.cache = cache;
  answer.feasible = answer.memory.total() <= memory.capacity;
  if (answer.feasible || !answer.note.empty()) return;
  answer.note = fmt::format(
      "does not fit: {:.1f} GiB of weights and {:.1f} GiB of cache on {:.0f} GiB",
      memory.weights / bytes_per_gib, cache / bytes_per_gib, memory.capacity / bytes_per_gib);
}

void set_token_price(Estimate& answer, const Case& question) {
  answer.energy_j = answer.power_w * question.devices / answer.tokens_per_s;
  answer.cost_usd = cost_usd(question, 1e6 / answer.tokens_per_s);
  answer.cost_unit = "million tokens";
}

}  // namespace

std::optional<ServingEngine> engine_of(const Case& question) {
  switch (question.kind) {
    case CaseKind::decode:
      return question.engine.value_or(question.device->token_engine);
    case CaseKind::prefill:  // published results of prompts and saturation are for offline queues
    case CaseKind::serve:
      return question.engine.value_or(ServingEngine::offline);
    default:
      return std::nullopt;
  }
}

Result<Estimate> estimate_prefill(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double input = question.input.value_or(question.sequence.value_or(0));
  if (input <= 0) return missing(question, "input_len");
  const ServingPlan plan = plan_of(question);
  const double prompts = std::max(1.0, question.batch.value_or(1) / plan.replicas);
  const double context = question.context.value_or(0);
  const PowerLimitedStep run =
      power_limited_step(*question.device, question.power_limit_w, [&](double share) {
        const ServingReplica replica = replica_of(question, question.precision, plan, share);
        return step_of(replica, prompt_pass(replica, input, context, prompts));
      });
  Estimate answer = estimate_from_step(question, run);
  answer.ttft_s = answer.seconds;
  answer.tokens_per_s = plan.replicas * prompts * input / answer.seconds;
  answer.cost_usd = cost_usd(question, 1e6 / answer.tokens_per_s);
  answer.cost_unit = "million tokens";
  set_memory(answer, replica_of(question, question.precision, plan, 1),
             prompts * (context + input));
  return answer;
}

Result<Estimate> estimate_decode(const Case& question) {
  if (!question.model) return missing(question, "model");
  const ServingPlan plan = plan_of(question);
  ServingLoad load;
  load.sequences = std::max(1.0, question.batch.value_or(1) / plan.replicas);
  double each = question.context.value_or(usual_context);
  if (!question.context && (question.input || question.output)) {
    each = question.input.value_or(usual_prompt) + question.output.value_or(0) / 2;
  }
  load.context_tokens = load.sequences * each;
  const PowerLimitedStep run =
      power_limited_step(*question.device, question.power_limit_w, [&](double share) {
        const ServingReplica replica = replica_of(question, question.precision, plan, share);
        return step_of(replica, serving_pass(replica, load));
      });
  Estimate answer = estimate_from_step(question, run);
  answer.tpot_s = answer.seconds;
  answer.tokens_per_s = plan.replicas * load.sequences / answer.seconds;
  set_token_price(answer, question);
  answer.energy_j *= plan.replicas * load.sequences;  // of the step
  set_memory(answer, replica_of(question, question.precision, plan, 1), load.context_tokens);
  return answer;
}

namespace {

ServingDemand demand_of(const Case& question, const ServingPlan& plan) {
  ServingDemand demand;
  demand.input_tokens = question.input.value_or(usual_request);
  demand.output_tokens = std::max(1.0, question.output.value_or(usual_request));
  demand.batch = question.batch.value_or(0) / plan.replicas;
  return demand;
}

Estimate saturated(const Case& question, const ServingPlan& plan, Precision weights) {
  const ServingDemand demand = demand_of(question, plan);
  SteadyState steady;
  const PowerLimitedStep run =
      power_limited_step(*question.device, question.power_limit_w, [&](double share) {
        const ServingReplica replica = replica_of(question, weights, plan, share);
        steady = serving_steady(replica, demand);
        return step_of(replica, steady.pass);
      });
  Estimate answer = estimate_from_step(question, run);
  answer.tpot_s = steady.token_s;
  answer.ttft_s = steady.first_token_s;
  answer.tokens_per_s = plan.replicas * steady.tokens_per_s;
  answer.samples_per_s = answer.tokens_per_s / demand.output_tokens;
  set_token_price(answer, question);
  set_memory(answer, replica_of(question, weights, plan, 1),
             steady.sequences * (demand.input_tokens + demand.output_tokens / 2));
  return answer;
}

/// With experts and only a tensor degree given, an engine may also run attention on separate
/// batches per device and share the experts (TensorRT-LLM does for Qwen3 235B). Returns the better
/// one.
Estimate best_saturated(const Case& question, const ServingPlan& plan, Precision weights) {
  Estimate answer = saturated(question, plan, weights);
  const bool open = question.model->experts.count > 0 && plan.expert == 1 && plan.data == 1;
  if (!open || plan.tensor == 1) return answer;
  ServingPlan spread = plan;
  spread.tensor = 1;
  spread.data = spread.expert = plan.tensor;
  const Estimate other = saturated(question, spread, weights);
  const bool better = other.feasible && other.tokens_per_s > answer.tokens_per_s;
  return better || (other.feasible && !answer.feasible) ? other : answer;
}

ServingPlan plan_at_saturation(const Case& question, Precision weights) {
  if (question.tensor || question.pipeline || question.data || question.expert) {
    return plan_of(question);
  }
  return plan_for_saturation(*question.device, *question.model, weights, question.devices,
                             *engine_of(question));
}

}  // namespace

Result<Estimate> estimate_serving(const Case& question) {
  if (!question.model) return missing(question, "model");
  const ServingPlan plan = plan_at_saturation(question, question.precision);
  Estimate answer = best_saturated(question, plan, question.precision);
  // Published results sometimes state 16 bits for runs in 8 bits: estimate a precision that fits
  // and add a note.
  for (const Precision narrow : {Precision::fp8, Precision::fp4}) {
    if (answer.feasible || bytes_each(question.precision) < 2) break;
    if (!question.device->runs(narrow)) continue;
    const ServingPlan other = plan_at_saturation(question, narrow);
    Estimate narrowed = best_saturated(question, other, narrow);
    if (!narrowed.feasible) continue;
    narrowed.feasible = false;
    narrowed.note = fmt::format("does not fit in {}; the figures are for weights in {}",
                                to_text(question.precision), to_text(narrow));
    return narrowed;
  }
  return answer;
}

}  // namespace drover::devices
