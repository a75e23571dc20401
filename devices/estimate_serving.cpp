// Prompts, inter-token steps, and both together at saturation.
#include <algorithm>

#include "devices/estimate_parts.h"

namespace drover::devices {
namespace {

constexpr double usual_context = 512;

void set_memory(Estimate& answer, const Case& question, const Placement& placement,
                double cached_tokens) {
  answer.memory.weights = weights_bytes(placement, *question.model);
  answer.memory.cache =
      cached_tokens * kv_bytes_per_token(placement, *question.model) / placement.devices;
  answer.memory.reserved = question.device->reserved_bytes;
  answer.feasible = answer.memory.total() <= question.device->memory_bytes;
  if (!answer.feasible) answer.note = "does not fit";
}

}  // namespace

Result<Estimate> estimate_prefill(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double input = question.input.value_or(question.sequence.value_or(0));
  if (input <= 0) return missing(question, "input_len");
  const double batch = question.batch.value_or(1);
  const Placement placement = placement_of(question, question.devices);
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    Step step = prefill_step(placement, *question.model, static_cast<std::uint32_t>(input),
                             static_cast<std::uint64_t>(question.context.value_or(0)), share);
    step.seconds *= batch;
    for (double& part : step.parts) part *= batch;
    return step;
  });
  Estimate answer = from_sustained(question, run);
  answer.ttft_s = answer.seconds;
  answer.tokens_per_s = batch * input / answer.seconds;
  answer.cost_usd = cost_usd(question, 1e6 / answer.tokens_per_s);
  answer.cost_unit = "million tokens";
  set_memory(answer, question, placement, batch * input);
  return answer;
}

Result<Estimate> estimate_decode(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double batch = question.batch.value_or(1);
  const double each = question.context.value_or(question.input.value_or(usual_context) +
                                                question.output.value_or(0) / 2);
  const Placement placement = placement_of(question, question.devices);
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    return decode_step(placement, *question.model, static_cast<std::uint32_t>(batch), batch * each,
                       share);
  });
  Estimate answer = from_sustained(question, run);
  answer.tpot_s = answer.seconds;
  answer.tokens_per_s = batch / answer.seconds;
  answer.cost_usd = cost_usd(question, 1e6 / answer.tokens_per_s);
  answer.cost_unit = "million tokens";
  set_memory(answer, question, placement, batch * each);
  return answer;
}

Result<Estimate> estimate_serving(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double input = question.input.value_or(usual_context);
  const double output = std::max(1.0, question.output.value_or(usual_context));
  const Placement placement = placement_of(question, question.devices);
  const double admitted =
      static_cast<double>(kv_capacity_tokens(placement, *question.model)) / (input + output / 2);
  const double batch = std::max(1.0, std::min(question.batch.value_or(1024), admitted));
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    const Step prompt =
        prefill_step(placement, *question.model, static_cast<std::uint32_t>(input), 0, share);
    Step step = decode_step(placement, *question.model, static_cast<std::uint32_t>(batch),
                            batch * (input + output / 2), share);
    // Each step starts batch / output new prompts.
    const double prompts = batch / output;
    step.seconds += prompts * prompt.seconds;
    for (std::size_t i = 0; i < part_count; ++i) step.parts[i] += prompts * prompt.parts[i];
    return step;
  });
  Estimate answer = from_sustained(question, run);
  answer.tpot_s = answer.seconds;
  answer.tokens_per_s = batch / answer.seconds;
  answer.energy_j = answer.power_w * question.devices / answer.tokens_per_s;
  answer.cost_usd = cost_usd(question, 1e6 / answer.tokens_per_s);
  answer.cost_unit = "million tokens";
  set_memory(answer, question, placement, batch * (input + output / 2));
  return answer;
}

Result<Estimate> estimate_inference(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double batch = question.batch.value_or(question.global_batch.value_or(1));
  const double sequence = question.model->is_transformer()
                              ? question.sequence.value_or(question.input.value_or(128))
                              : 1;
  const Placement placement = placement_of(question, 1);
  const double each = std::max(1.0, batch / question.devices);
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    return prefill_step(placement, *question.model, static_cast<std::uint32_t>(each * sequence), 0,
                        share);
  });
  Estimate answer = from_sustained(question, run);
  answer.samples_per_s = batch / answer.seconds;
  answer.cost_usd = cost_usd(question, 1e6 / answer.samples_per_s);
  answer.cost_unit = "million inferences";
  set_memory(answer, question, placement, 0);
  return answer;
}

}  // namespace drover::devices
