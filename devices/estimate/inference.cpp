// Estimates of one static batch over all devices; the default batch is near maximum throughput.
#include <algorithm>

#include "devices/classic/inference.h"
#include "devices/estimate/parts.h"

namespace drover::devices {
namespace {

Estimate from_batch(const Case& question, const PowerLimitedStep& run, double batch) {
  Estimate answer = estimate_from_step(question, run);
  answer.samples_per_s = batch / answer.seconds;
  answer.cost_usd = cost_usd(question, 1e6 / answer.samples_per_s);
  answer.cost_unit = "million inferences";
  return answer;
}

}  // namespace

Result<Estimate> estimate_inference(const Case& question) {
  if (!question.model) return missing(question, "model");
  const ModelSpec& model = *question.model;
  const Placement placement = placement_of(question, 1);
  const std::optional<double> given = question.batch ? question.batch : question.global_batch;
  const double each =
      given ? std::max(1.0, *given / question.devices) : throughput_batch(placement, model);
  const InferenceShape shape{each, question.sequence.value_or(question.input.value_or(0)),
                             question.software};
  const PowerLimitedStep run = power_limited_step(
      *question.device, question.power_limit_w,
      [&](double share) { return inference_step(placement, model, shape, share); });
  Estimate answer = from_batch(question, run, given.value_or(each * question.devices));
  answer.memory.weights = inference_bytes(placement, model, 0);
  answer.memory.activations = inference_bytes(placement, model, each) - answer.memory.weights;
  answer.memory.reserved = question.device->memory.reserved_bytes;
  answer.feasible = answer.memory.total() <= question.device->memory.bytes;
  if (!answer.feasible) answer.note = "does not fit";
  if (!given) answer.note = fmt::format("batch of {} per device assumed", each);
  return answer;
}

}  // namespace drover::devices
