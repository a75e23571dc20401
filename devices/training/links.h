// The collectives of a training step: bytes sent, and the time that is not hidden behind compute.
#pragma once

#include "devices/training/rates.h"
#include "devices/training/step_breakdown.h"

namespace drover::devices {

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
