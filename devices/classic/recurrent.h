// Layers whose steps wait for one another.
#pragma once

#include "devices/catalogue/layered.h"
#include "devices/classic/layer_rates.h"

namespace drover::devices {

/// Forward of all `times` layers over all steps for `items` sequences side by side. Backward is
/// twice as much: `passes` = 3 for a training step. `step_s` passes between two dependent steps
/// that have nothing to do.
void add_recurrence(StepSum& sum, const LayerRates& layer, const Recurrence& recurrence,
                    double items, double passes, double step_s);

}  // namespace drover::devices
