// Recurrent layers, whose steps depend on each other.
#pragma once

#include "devices/catalogue/layered.h"
#include "devices/classic/layer_rates.h"

namespace drover::devices {

/// Adds the forward pass of all `times` layers over all steps for `items` parallel sequences. The
/// backward pass is twice as much: `passes` = 3 for a training step. `step_s` is the minimum time
/// between two dependent steps.
void add_recurrence(StepAccumulator& sum, const LayerRates& layer, const Recurrence& recurrence,
                    double items, double passes, double step_s);

}  // namespace drover::devices
