// Tensor with sequence parallelism: per layer and pass two all-gathers and two reduce-scatters of
// the tokens' hidden vectors (arXiv:2205.05198), of which a fitted share is exposed. Context
// parallelism: keys and values are exchanged in a ring, hidden behind the attention that uses them.
// Experts: each token is sent to its experts and back, forward and backward; between hosts once per
// host with one of its experts (arXiv:2412.19437), at the expected number of such hosts.
#include "devices/training/step_breakdown.h"

#include <algorithm>
#include <cmath>

#include "devices/training/memory.h"

namespace drover::devices {
namespace {

/// Exposed share of the ring of keys and values (assumed).
constexpr double context_exposed = 0.1;
/// Exposed share of the sends between stages (assumed: interleaved schedules overlap the rest).
constexpr double stage_exposed = 0.3;
/// Forward and backward passes of FSDP gather 16-bit weights and scatter fp32 gradients (GPUs) or
/// 16-bit ones (XLA).
constexpr double gathered_bytes = 2, scattered_bytes = 4, scattered_bytes_xla = 2;
/// At most this share of the compute can hide collectives: the first layer's gathering and the last
/// one's scattering have nothing to overlap with.
constexpr double hidden_share_max = 0.7;
/// Bytes per parameter: fp32 gradients scattered, 16-bit weights gathered.
constexpr double exchanged_bytes = 6, exchanged_bytes_slices = 8;
/// The backward pass as a share of a micro-batch.
constexpr double backward_share = 0.6;
/// DeepSeek's router limits a token to the experts in 4 of 8 groups of hosts.
constexpr double hosts_per_token_latent = 4;

void add_tensor(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                const TrainingRates& rates) {
  if (layout.tensor <= 1) return;
  const double tensor = layout.tensor;
  const ModelSpec& model = *job.model;
  const double bytes = 4 * micro_batch_tokens(job, layout) * model.hidden * (tensor - 1) / tensor;
  // Experts are not split: only the attention half of such layers has these collectives.
  const double routed = model.experts.count > 0 ? 0.5 * model.layers : 0;
  const double count = 2 * (2 + layout.recomputed) * (model.layers - routed);
  const double seconds = bytes / ring_rate(rates, layout, layout.tensor, 1);
  sum[TimeComponent::collectives] += rates.device.training.link_exposed * count * seconds;
  sum.link_bytes += count * bytes;
}

void add_context(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                 const TrainingRates& rates, double attention_s) {
  if (layout.context <= 1) return;
  const ModelSpec& model = *job.model;
  const double heads = std::max(1.0, static_cast<double>(model.kv_heads) / layout.tensor);
  const double bytes = 3.0 * model.layers * 2 * micro_batch_tokens(job, layout) * heads *
                       model.head_size * 2 * (layout.context - 1);
  const double seconds = bytes / ring_rate(rates, layout, layout.context, layout.tensor);
  sum[TimeComponent::collectives] +=
      std::max(0.0, seconds - attention_s) + context_exposed * seconds;
  sum.link_bytes += bytes;
}

/// The number of hosts other than its own that a token is sent to.
double other_hosts(const ModelSpec& model, double hosts) {
  const double choices = model.latent.kv_rank > 0
                             ? std::min<double>(model.experts.active, hosts_per_token_latent)
                             : model.experts.active;
  return hosts * (1 - std::pow(1 - 1 / hosts, choices)) * (1 - 1 / hosts);
}

void add_experts(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                 const TrainingRates& rates) {
  const ModelSpec& model = *job.model;
  if (model.experts.count == 0 || layout.expert <= 1) return;
  const double expert = layout.expert;
  const double vectors = micro_batch_tokens(job, layout) / layout.tensor * model.hidden * 2;
  const double inside = vectors * model.experts.active * (1 - 1 / expert);
  double seconds = rates.device.training.expert_link_exposed * inside / link_rate(rates);
  const double hosts = expert / layout.domain;
  if (hosts > 1 && !rates.tpu) {
    const double across = vectors * other_hosts(model, hosts) / network_rate(rates.device);
    seconds = std::max(seconds, rates.device.training.expert_network_exposed * across);
  }
  const double count = (4 + 2 * layout.recomputed) * model.expert_layers();
  sum[TimeComponent::collectives] += count * seconds;
  sum.link_bytes += count * inside;
}

}  // namespace

void add_layer_collectives(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double attention_s) {
  add_tensor(sum, job, layout, rates);
  add_context(sum, job, layout, rates, attention_s);
  add_experts(sum, job, layout, rates);
}

void add_fsdp_collectives(TrainingStepBreakdown& work, const TrainingJob& job, const Layout& layout,
                          const TrainingRates& rates) {
  const int shards = std::max(1, layout.data * layout.context / layout.slices);
  if (!layout.sharded || shards <= 1) return;
  const ModelSpec& model = *job.model;
  const double all = model.parameters();
  double weights = all / (static_cast<double>(layout.tensor) * layout.pipeline);
  if (layout.expert > 1) {
    const double active = model.active_parameters() / all;
    weights *= active + (1 - active) / layout.expert;
  }
  const double passes = rates.tpu ? 2 + layout.recomputed : 2;
  double bytes =
      weights * (passes * gathered_bytes + (rates.tpu ? scattered_bytes_xla : scattered_bytes));
  if (job.adapters) bytes = weights * passes * gathered_bytes;
  const double seconds = bytes / ring_rate(rates, layout, shards, layout.tensor);
  const double computing = work.seconds();
  const double hidden = std::min(seconds, computing);
  const double together = std::max(computing + rates.device.training.shard_exposed * hidden,
                                   seconds + (1 - hidden_share_max) * computing);
  work[TimeComponent::collectives] += together - computing;
  work.link_bytes += bytes;
}

void add_stage_sends(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                     const TrainingRates& rates) {
  if (layout.pipeline <= 1) return;
  const double bytes = 2 * 2 * micro_batch_tokens(job, layout) * job.model->hidden / layout.tensor;
  const double count = layout.micro_batches * layout.stages;
  sum[TimeComponent::collectives] += stage_exposed * count * bytes / neighbour_rate(rates, layout);
  sum.link_bytes += count * bytes;
}

void add_gradient_exchange(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double stage_s) {
  if (job.adapters) return;
  const double exposed = rates.device.training.shard_exposed;
  if (rates.tpu) {
    if (layout.slices <= 1) return;
    const double share = job.model->parameters() * layout.slices / job.placement.devices;
    const double seconds = share * exchanged_bytes_slices / network_rate(rates.device);
    const double hidden = 0.5 * layout.micro_batches * stage_s;
    sum[TimeComponent::collectives] += std::max(0.0, seconds - hidden) + exposed * seconds;
    return;
  }
  if (layout.data <= 1 || layout.sharded) return;
  const double bytes = exchanged_bytes * owned_parameters(*job.model, layout);
  const double rate = ring_rate(rates, layout, layout.data * layout.context, layout.tensor);
  const double seconds = bytes / rate;
  const double behind = std::min<double>(layout.micro_batches, layout.pipeline);
  sum[TimeComponent::collectives] +=
      exposed * seconds +
      std::max(0.0, (1 - exposed) * seconds - backward_share * stage_s * behind);
  sum.link_bytes += bytes;
}

}  // namespace drover::devices
