#include "devices/estimate/estimate_classic.h"

#include <algorithm>

#include "devices/classic/classic_training.h"
#include "devices/classic/inference.h"
#include "devices/estimate/estimate_parts.h"

namespace drover::devices {

Result<Estimate> estimate_classic_training(const Case& question) {
  const ModelSpec& model = *question.model;
  const Placement placement = placement_of(question, question.devices);
  const double tokens = question.sequence.value_or(usual_tokens(model));
  const double usual = usual_items_each(placement, model, tokens) * question.devices;
  const std::optional<double> given =
      question.global_batch ? question.global_batch : question.batch;
  const double items =
      given.value_or(question.micro_batch ? *question.micro_batch * question.devices : usual);
  const ClassicShape shape{items, tokens, question.software};
  const Sustained run = sustained(*question.device, question.power_limit_w, [&](double share) {
    return classic_training_step(placement, model, shape, share);
  });
  Estimate answer = from_sustained(question, run);
  const bool words = model.is_transformer();
  answer.samples_per_s = items / answer.seconds;
  if (words) answer.tokens_per_s = answer.samples_per_s * tokens;
  const double parameters = model.parameters();
  answer.memory.weights = 4 * parameters;
  answer.memory.states = classic_state_bytes(model) - answer.memory.weights;
  const double each = std::min(items / question.devices, usual / question.devices * 2);
  answer.memory.activations = std::max(1.0, each) * classic_item_bytes(placement, model, tokens);
  answer.memory.reserved = question.device->reserved_bytes;
  answer.feasible = answer.memory.total() - answer.memory.activations +
                        classic_item_bytes(placement, model, tokens) <=
                    question.device->memory_bytes;
  if (!answer.feasible) answer.note = "does not fit";
  if (!given && !question.micro_batch) answer.note = fmt::format("batch of {} assumed", items);
  return answer;
}

}  // namespace drover::devices
