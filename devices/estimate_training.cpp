// One optimiser step.
#include "devices/estimate_parts.h"
#include "devices/training.h"

namespace drover::devices {

Result<Estimate> estimate_training(const Case& question) {
  if (!question.model) return missing(question, "model");
  const double samples =
      question.global_batch.value_or(question.micro_batch.value_or(1) * question.devices);
  const bool words = question.model->is_transformer();
  const double sequence = words ? question.sequence.value_or(2048) : 1;
  const Placement placement = placement_of(question, question.devices);
  const TrainingShape shape{static_cast<std::uint32_t>(samples),
                            static_cast<std::uint32_t>(sequence)};
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    return training_step(placement, *question.model, shape, share);
  });
  Estimate answer = from_sustained(question, run);
  set_training_rates(answer, question, samples, words ? samples * sequence : 0);
  if (!words) answer.tokens_per_s = answer.tflops_per_device = answer.mfu = -1;
  const TrainingPlan plan = plan_training(placement, *question.model, shape);
  answer.feasible = plan.fits;
  answer.memory.states = plan.bytes;
  answer.memory.reserved = question.device->reserved_bytes;
  return answer;
}

}  // namespace drover::devices
