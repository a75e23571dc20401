// The time of one training step by component: the work of one micro-batch, and the collectives with
// the bytes that they send and the time that is not hidden behind compute.
#pragma once

#include <numeric>

#include "devices/operation/step.h"
#include "devices/training/rates.h"

namespace drover::devices {

struct TrainingStepBreakdown {
  std::array<double, part_count> parts{};  // seconds
  double flops = 0;                        // executed, recomputation included
  double memory_bytes = 0;
  double link_bytes = 0;

  double& operator[](TimeComponent part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](TimeComponent part) const { return parts[static_cast<std::size_t>(part)]; }
  double seconds() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
  /// Multiplies everything.
  TrainingStepBreakdown& operator*=(double count) {
    for (double& part : parts) part *= count;
    flops *= count;
    memory_bytes *= count;
    link_bytes *= count;
    return *this;
  }
};

/// Forward and backward pass through all layers and the vocabulary, per device of a tensor-parallel
/// set. Each stage of a pipeline with p stages takes a p-th of it.
TrainingStepBreakdown micro_batch_work(const TrainingJob& job, const Layout& layout,
                                       const TrainingRates& rates);

/// Host seconds to launch and route a micro-batch, over all stages.
double micro_batch_host_s(const TrainingJob& job, const TrainingRates& rates);

/// Adds the collectives of one micro-batch over all layers: tensor, context and expert parallelism.
/// `attention_s`: the compute that hides the ring exchange of keys and values.
void add_layer_collectives(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double attention_s);

/// FSDP: adds the gathering of weights and scattering of gradients to `work`, the compute of one
/// stage.
void add_fsdp_collectives(TrainingStepBreakdown& work, const TrainingJob& job, const Layout& layout,
                          const TrainingRates& rates);

/// Adds the sends of all micro-batches between the stages of a pipeline.
void add_stage_sends(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                     const TrainingRates& rates);

/// Adds the exchange once per step: gradients are reduced and weights gathered over the
/// data-parallel devices, also between TPU slices. The backward pass of the last micro-batches,
/// each `stage_s` long, hides a part of it.
void add_gradient_exchange(TrainingStepBreakdown& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double stage_s);

}  // namespace drover::devices
