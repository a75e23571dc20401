// Defaults in the order of common practice (Megatron-LM and NeMo guides): one device if the states
// fit; else tensor parallelism inside a node, up to 4 and for very wide models 8; then pipeline
// stages. TPUs: all chips of a slice share the weights (FSDP), slices are data parallel.
#include "devices/training/layout.h"

#include <algorithm>
#include <cmath>

#include "devices/training/memory.h"

namespace drover::devices {
namespace {

/// Default number of tokens per micro-batch: enough for full rates.
constexpr double default_sequence_tokens = 8192;
/// Larger models leave less memory besides their states (assumed).
constexpr double large_parameters = 60e9;
/// Hidden size from which products are still large when split by 8.
constexpr double wide_hidden = 16384;
/// Layers of one virtual stage (Megatron-Bridge recipes: 1 to 4).
constexpr double layers_per_stage = 2;
/// Share of the memory that states and one sample may use before the model is split (assumed).
constexpr double states_room = 0.8;
/// Bytes of activations for 8192 tokens with some recomputation (assumed).
constexpr double usual_activation_bytes = 20e9;
/// A rack's link domain has spares: jobs use 64 of 72 devices.
constexpr int rack_domain = 72, rack_used = 64;

int link_domain(const TrainingJob& job) {
  const int own = static_cast<int>(job.placement.device->links.domain);
  if (job.placement.per_host > 0) return std::min(std::max(1, own), job.placement.per_host);
  if (own == rack_domain) return rack_used;
  // Using only a part of a node reduces the domain; trays of a rack do not.
  if (own <= 16 && job.request.devices_per_node)
    return std::min(own, *job.request.devices_per_node);
  return std::max(1, own);
}

bool states_fit(const TrainingJob& job, const Layout& layout) {
  const double devices = job.placement.devices;
  const double owned = owned_parameters(*job.model, layout);
  const double states =
      job.adapters ? 2.3 * owned : 6 * owned + 12 * job.model->parameters() / devices;
  // One sample at a time. With more devices than samples, the sequence is split.
  const double cuts = static_cast<double>(layout.tensor) * layout.pipeline;
  const double tokens = std::min(job.sequence, job.samples * job.sequence * cuts / devices);
  const double activations =
      usual_activation_bytes * tokens / default_sequence_tokens / layout.tensor;
  return states + activations <= states_room * job.placement.device->memory.bytes;
}

/// Experts are spread over the link domain; such models are split into stages, not tensors.
int usual_experts(const TrainingJob& job, const Layout& layout) {
  const int count = static_cast<int>(job.model->experts.count);
  return std::max(1, std::min({count, layout.domain, job.placement.devices}));
}

/// Chooses tensor and pipeline degrees if neither is given.
void cut_states(const TrainingJob& job, Layout& layout) {
  const int wide = job.model->hidden < wide_hidden ? 4 : 8;
  const int tensor_max = job.model->experts.count > 0 ? 1 : std::min(layout.domain, wide);
  while (!states_fit(job, layout) && layout.tensor * layout.pipeline * 2 <= job.placement.devices) {
    if (layout.tensor * 2 <= tensor_max) {
      layout.tensor *= 2;
    } else if (layout.pipeline * 2 <= static_cast<int>(job.model->layers)) {
      layout.pipeline *= 2;
    } else {
      break;
    }
  }
}

int power_of_two_from(double value) {
  return 1 << static_cast<int>(std::ceil(std::log2(std::max(1.0, value))));
}

int devices_left(const TrainingJob& job, const Layout& layout) {
  const int taken = layout.tensor * layout.pipeline * layout.context;
  return std::max(1, job.placement.devices / taken);
}

/// For more devices than samples without splitting the sequence: raises the tensor degree inside
/// the domain, then the stages, then the tensor degree beyond it.
void cut_for_few_samples(const TrainingJob& job, Layout& layout) {
  const LayoutRequest& request = job.request;
  const int heads = static_cast<int>(job.model->heads);
  while (devices_left(job, layout) > job.samples) {
    const bool more_tensors = !request.tensor && layout.tensor * 2 <= heads;
    const bool more_stages =
        !request.pipeline && layout.pipeline * 2 <= static_cast<int>(job.model->layers);
    if (more_tensors && (layout.tensor * 2 <= layout.domain || !more_stages)) {
      layout.tensor *= 2;
    } else if (more_stages) {
      layout.pipeline *= 2;
    } else {
      return;
    }
  }
}

/// Uses the remaining devices for data parallelism; with too few samples the sequence is split.
void spread_data(const TrainingJob& job, Layout& layout) {
  const bool given = job.request.data.has_value();
  if (!given && !is_tpu(job) && devices_left(job, layout) > job.samples) {
    if (job.request.context) {
      cut_for_few_samples(job, layout);
    } else {
      const double more = devices_left(job, layout) / std::max(1.0, job.samples);
      layout.context *= power_of_two_from(more);
    }
  }
  layout.data = given && !is_tpu(job) ? std::max(1, *job.request.data) : devices_left(job, layout);
}

double usual_micro_batch(const TrainingJob& job, double samples) {
  if (is_tpu(job)) return samples;
  const double large = job.model->parameters() > large_parameters ? 2 : 1;
  const double wanted = std::max(1.0, std::floor(default_sequence_tokens / job.sequence));
  const double power = std::exp2(std::floor(std::log2(wanted)));
  return std::clamp(std::floor(power / large), 1.0, std::max(1.0, samples));
}

/// Chooses the largest micro-batch that fits with full recomputation.
void choose_micro_batch(const TrainingJob& job, Layout& layout) {
  const double samples = job.samples / layout.data;
  double wanted = job.request.micro_batch.value_or(usual_micro_batch(job, samples));
  // MaxText's value is per chip, and a tensor-parallel set shares the samples.
  if (is_tpu(job) && job.request.micro_batch) wanted *= layout.tensor;
  layout.micro_batch = std::min(wanted, is_tpu(job) ? samples : std::max(1.0, samples));
  for (;;) {
    layout.micro_batches = std::max(1.0, samples / layout.micro_batch);
    layout.recomputed = recomputed_share(job, layout);
    if (job.request.micro_batch || layout.micro_batch <= 1 || training_fits(job, layout)) return;
    layout.micro_batch = std::max(1.0, layout.micro_batch / 2);
  }
}

}  // namespace

double micro_batch_tokens(const TrainingJob& job, const Layout& layout) {
  return layout.micro_batch * job.sequence / layout.context;
}

Layout choose_layout(const TrainingJob& job) {
  const LayoutRequest& request = job.request;
  Layout layout;
  layout.domain = link_domain(job);
  layout.tensor = std::max(1, request.tensor.value_or(1));
  layout.pipeline = is_tpu(job) ? 1 : std::max(1, request.pipeline.value_or(1));
  layout.context = std::max(1, request.context.value_or(1));
  layout.expert = request.expert.value_or(is_tpu(job) ? 1 : usual_experts(job, layout));
  // With pipeline stages, weights stay gathered between micro-batches and only states are sharded
  // (arXiv:2407.21783, 3.3.2), as in unsharded training.
  layout.sharded = is_tpu(job) || (request.sharded.value_or(false) && layout.pipeline == 1);
  if (!layout.sharded && !request.tensor && !request.pipeline) cut_states(job, layout);
  spread_data(job, layout);
  const int expert_max = std::max(1, layout.data * layout.context * layout.tensor);
  layout.expert = std::clamp(layout.expert, 1, expert_max);
  if (layout.pipeline > 1) {
    const double layers = static_cast<double>(job.model->layers) / layout.pipeline;
    layout.stages = std::max(1, static_cast<int>(std::lround(layers / layers_per_stage)));
  }
  if (is_tpu(job)) {
    layout.slices = (std::max(1, job.placement.devices) + layout.domain - 1) / layout.domain;
  }
  choose_micro_batch(job, layout);
  return layout;
}

}  // namespace drover::devices
