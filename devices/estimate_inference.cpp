// One static batch of a model that does not generate.
#include <algorithm>

#include "devices/estimate_parts.h"

namespace drover::devices {
namespace {

void set_memory(Estimate& answer, const Case& question, const Placement& placement) {
  answer.memory.weights = weights_bytes(placement, *question.model);
  answer.memory.reserved = question.device->reserved_bytes;
  answer.feasible = answer.memory.total() <= question.device->memory_bytes;
  if (!answer.feasible) answer.note = "does not fit";
}

}  // namespace

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
  set_memory(answer, question, placement);
  return answer;
}

}  // namespace drover::devices
