#include "devices/training/training.h"

#include <algorithm>
#include <cmath>

#include "devices/classic/classic_training.h"
#include "devices/training/memory.h"
#include "devices/training/step_breakdown.h"

namespace drover::devices {
namespace {

/// Bytes per parameter of Adam in mixed precision: gradient, weight and two moments are read in
/// fp32; the three states and the 16-bit weight are written.
constexpr double optimizer_bytes = 30;
/// Number of devices (one node) beyond which stragglers are counted.
constexpr double node = 8;

/// The time of two concurrent activities: the longer one, or slightly more if they are similar.
double beside(double device_s, double host_s) {
  return std::sqrt(std::hypot(device_s * device_s, host_s * host_s));
}

/// The share of one stage in a micro-batch.
TrainingStepBreakdown stage_work(const TrainingJob& job, const Layout& layout,
                                 const TrainingRates& rates) {
  TrainingStepBreakdown work = micro_batch_work(job, layout, rates);
  work *= 1.0 / layout.pipeline;
  const double computing = work.seconds();
  const double host = micro_batch_host_s(job, rates) / layout.pipeline;
  work[TimeComponent::host] += beside(computing, host) - computing;
  add_fsdp_collectives(work, job, layout, rates);
  return work;
}

void add_optimizer(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                   const TrainingRates& rates) {
  if (job.adapters) return;
  const double shards = std::max(1, layout.data * layout.context);
  const double bytes = optimizer_bytes * owned_parameters(*job.model, layout) / shards;
  sum[TimeComponent::optimizer] += bytes / rates.memory;
  sum.memory_bytes += bytes;
}

void add_stragglers(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout) {
  const DeviceSpec& device = *job.placement.device;
  const double nodes = std::max(1.0, job.placement.devices / node);
  const double late = device.training.straggler_share * std::log2(nodes) +
                      device.training.slice_straggler_share * std::log2(layout.slices);
  sum[TimeComponent::collectives] += late * sum.seconds();
}

Step as_step(const TrainingStepBreakdown& sum, const TrainingRates& rates) {
  Step step;
  step.seconds = sum.seconds();
  step.parts = sum.parts;
  if (step.seconds <= 0) return step;
  const double links = link_rate(rates) / std::max(0.01, rates.device.links.efficiency);
  step.tensor_activity = std::min(1.0, sum.flops / step.seconds / rates.peak);
  step.memory_activity =
      std::min(1.0, sum.memory_bytes / step.seconds / rates.device.memory.bandwidth);
  step.link_activity = std::min(1.0, sum.link_bytes / step.seconds / links);
  step.waiting = (sum[TimeComponent::collectives] + sum[TimeComponent::bubble]) / step.seconds;
  return step;
}

TrainingJob gang_job(const Placement& placement, const ModelSpec& model,
                     const TrainingShape& shape) {
  TrainingJob job;
  job.placement = placement;
  job.placement.devices = std::max(1, placement.devices);
  job.model = &model;
  job.samples = std::max(1u, shape.batch);
  job.sequence = std::max(1u, shape.sequence);
  return job;
}

bool is_decoder(const ModelSpec& model) { return model.architecture == Architecture::decoder; }

}  // namespace

Step training_step(const TrainingJob& job, const Layout& layout, double clock_share) {
  const TrainingRates rates(job, clock_share);
  const TrainingStepBreakdown stage = stage_work(job, layout, rates);
  TrainingStepBreakdown sum = stage;
  sum *= layout.micro_batches;
  sum[TimeComponent::bubble] += (layout.pipeline - 1.0) / layout.stages * stage.seconds();
  add_stage_sends(sum, job, layout, rates);
  add_gradient_exchange(sum, job, layout, rates, stage.seconds());
  add_optimizer(sum, job, layout, rates);
  add_stragglers(sum, job, layout);
  return as_step(sum, rates);
}

Step training_step(const Placement& placement, const ModelSpec& model, const TrainingShape& shape,
                   double clock_share) {
  if (!is_decoder(model)) {
    const NonDecoderTrainingShape classic{
        static_cast<double>(shape.batch),
        static_cast<double>(model.is_transformer() ? shape.sequence : 0), SoftwareStack::framework};
    return non_decoder_training_step(placement, model, classic, clock_share);
  }
  const TrainingJob job = gang_job(placement, model, shape);
  return training_step(job, choose_layout(job), clock_share);
}

double training_bytes(const Placement& placement, const ModelSpec& model,
                      const TrainingShape& shape) {
  if (!is_decoder(model)) return plan_training(placement, model, shape).bytes;
  const TrainingJob job = gang_job(placement, model, shape);
  const MemoryUse use = training_memory(job, choose_layout(job));
  return use.total() - use.reserved;
}

bool fits_training(const Placement& placement, const ModelSpec& model, const TrainingShape& shape) {
  if (!is_decoder(model)) return plan_training(placement, model, shape).fits;
  const TrainingJob job = gang_job(placement, model, shape);
  return training_fits(job, choose_layout(job));
}

}  // namespace drover::devices
