// Estimates of one optimiser step.
#include "devices/training/training.h"

#include <algorithm>

#include <fmt/format.h>

#include "devices/classic/classic_training.h"
#include "devices/classic/inference.h"
#include "devices/estimate/parts.h"
#include "devices/operation/matrix.h"
#include "devices/training/memory.h"

namespace drover::devices {
namespace {

constexpr double usual_sequence = 2048;

double samples_of(const Case& question) {
  if (question.global_batch) return *question.global_batch;
  return question.micro_batch.value_or(1) * question.data.value_or(question.devices);
}

TrainingJob job_of(const Case& question) {
  TrainingJob job;
  job.placement = placement_of(question, question.devices);
  job.model = question.model;
  job.samples = samples_of(question);
  job.sequence = question.sequence.value_or(usual_sequence);
  job.adapters = question.adapters;
  job.request = {question.tensor,           question.pipeline,    question.data,
                 question.context_parallel, question.expert,      question.devices_per_node,
                 question.sharded,          question.micro_batch, question.recompute};
  return job;
}

std::string layout_text(const Layout& layout) {
  std::string text = fmt::format("data {}", layout.data);
  const auto add = [&](const char* name, int degree) {
    if (degree > 1) text += fmt::format(", {} {}", name, degree);
  };
  add("tensor", layout.tensor);
  add("pipeline", layout.pipeline);
  add("context", layout.context);
  add("expert", layout.expert);
  if (layout.sharded) text += ", sharded";
  if (layout.recomputed > 0) text += fmt::format(", {:.0f} % recomputed", 100 * layout.recomputed);
  return text;
}

/// Sets the rates of a language model: tokens per step over all devices, and flop/s as published
/// results count them: (6 x active parameters + 12 x layers x hidden x sequence) x tokens.
void set_training_rates(Estimate& answer, const Case& question, double samples, double tokens) {
  const ModelSpec& model = *question.model;
  answer.samples_per_s = samples / answer.seconds;
  answer.tokens_per_s = tokens / answer.seconds;
  const double per_token = 6 * model.active_parameters() +
                           12.0 * model.layers * model.hidden * question.sequence.value_or(0);
  answer.tflops_per_device = per_token * tokens / answer.seconds / question.devices / 1e12;
  answer.mfu = answer.tflops_per_device * 1e12 / compute_peak(*question.device, question.precision);
}

Result<Estimate> estimate_decoder(const Case& question) {
  const TrainingJob job = job_of(question);
  const Layout layout = choose_layout(job);
  const PowerLimitedStep run =
      power_limited_step(*question.device, question.power_limit_w,
                         [&](double share) { return training_step(job, layout, share); });
  Estimate answer = estimate_from_step(question, run);
  set_training_rates(answer, question, job.samples, job.samples * job.sequence);
  answer.memory = training_memory(job, layout);
  answer.feasible = training_fits(job, layout);
  answer.note = layout_text(layout);
  if (!answer.feasible) answer.note += "; does not fit its memory";
  return answer;
}

Result<Estimate> estimate_non_decoder_training(const Case& question) {
  const ModelSpec& model = *question.model;
  const Placement placement = placement_of(question, question.devices);
  const double tokens = question.sequence.value_or(default_sequence_tokens(model));
  const double usual = default_batch_per_device(placement, model, tokens) * question.devices;
  const std::optional<double> given =
      question.global_batch ? question.global_batch : question.batch;
  const double items =
      given.value_or(question.micro_batch ? *question.micro_batch * question.devices : usual);
  const NonDecoderTrainingShape shape{items, tokens, question.software};
  const PowerLimitedStep run = power_limited_step(
      *question.device, question.power_limit_w,
      [&](double share) { return non_decoder_training_step(placement, model, shape, share); });
  Estimate answer = estimate_from_step(question, run);
  const bool words = model.is_transformer();
  answer.samples_per_s = items / answer.seconds;
  if (words) answer.tokens_per_s = answer.samples_per_s * tokens;
  const double parameters = model.parameters();
  answer.memory.weights = 4 * parameters;
  answer.memory.states = non_decoder_state_bytes(model) - answer.memory.weights;
  const double each = std::min(items / question.devices, usual / question.devices * 2);
  answer.memory.activations =
      std::max(1.0, each) * non_decoder_item_bytes(placement, model, tokens);
  answer.memory.reserved = question.device->memory.reserved_bytes;
  answer.feasible = answer.memory.total() - answer.memory.activations +
                        non_decoder_item_bytes(placement, model, tokens) <=
                    question.device->memory.bytes;
  if (!answer.feasible) answer.note = "does not fit";
  if (!given && !question.micro_batch) answer.note = fmt::format("batch of {} assumed", items);
  return answer;
}

}  // namespace

Result<Estimate> estimate_training(const Case& question) {
  if (!question.model) return missing(question, "model");
  return question.model->architecture == Architecture::decoder
             ? estimate_decoder(question)
             : estimate_non_decoder_training(question);
}

}  // namespace drover::devices
