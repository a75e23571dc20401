// One optimiser step.
#include "devices/estimate/estimate_classic.h"
#include "devices/estimate/estimate_parts.h"
#include "devices/training/training.h"
#include "devices/training/training_memory.h"

#include <fmt/format.h>

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

std::string layout_words(const Layout& layout) {
  std::string words = fmt::format("data {}", layout.data);
  const auto add = [&](const char* name, int degree) {
    if (degree > 1) words += fmt::format(", {} {}", name, degree);
  };
  add("tensor", layout.tensor);
  add("pipeline", layout.pipeline);
  add("context", layout.context);
  add("expert", layout.expert);
  if (layout.sharded) words += ", sharded";
  if (layout.recomputed > 0) words += fmt::format(", {:.0f} % recomputed", 100 * layout.recomputed);
  return words;
}

Result<Estimate> estimate_decoder(const Case& question) {
  const TrainingJob job = job_of(question);
  const Layout layout = choose_layout(job);
  const Sustained run = sustained(*question.device, question.power_limit_w,
                                  [&](double share) { return training_step(job, layout, share); });
  Estimate answer = from_sustained(question, run);
  set_training_rates(answer, question, job.samples, job.samples * job.sequence);
  answer.memory = training_memory(job, layout);
  answer.feasible = training_fits(job, layout);
  answer.note = layout_words(layout);
  if (!answer.feasible) answer.note += "; does not fit its memory";
  return answer;
}

}  // namespace

Result<Estimate> estimate_training(const Case& question) {
  if (!question.model) return missing(question, "model");
  return question.model->architecture == Architecture::decoder
             ? estimate_decoder(question)
             : estimate_classic_training(question);
}

}  // namespace drover::devices
