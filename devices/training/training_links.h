// Collectives of a training step: what is sent, and how long of it no computing hides.
#pragma once

#include "devices/training/training_rates.h"
#include "devices/training/training_sum.h"

namespace drover::devices {

/// Of one micro-batch over all layers: tensor, context and expert parallelism. `attention_s`: the
/// computing behind which the ring of keys and values hides.
void add_layer_collectives(TrainingSum& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double attention_s);

/// FSDP: weights gathered and gradients scattered beside `work`, the computing of one stage.
void add_gathering(TrainingSum& work, const TrainingJob& job, const Layout& layout,
                   const TrainingRates& rates);

/// Sends between the stages of a pipeline, of all micro-batches.
void add_stage_sends(TrainingSum& sum, const TrainingJob& job, const Layout& layout,
                     const TrainingRates& rates);

/// Once per step: gradients reduced and weights gathered over the data-parallel devices, behind the
/// backward pass of the last micro-batches, each `stage_s` long; between slices of TPUs too.
void add_gradient_exchange(TrainingSum& sum, const TrainingJob& job, const Layout& layout,
                           const TrainingRates& rates, double stage_s);

}  // namespace drover::devices
