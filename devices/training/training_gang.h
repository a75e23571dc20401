// Data-parallel training of encoders and convolutions: what is sharded, what is recomputed, how
// many samples run at once.
#pragma once

#include "devices/operation/step.h"

namespace drover::devices {

struct TrainingPlan {
  bool sharded = false;    // weights, gradients and optimiser states split over the gang
  bool recompute = false;  // activations are not kept but computed again
  bool fits = false;
  double samples = 1;      // per device at once
  double micro_steps = 1;  // so many times per optimiser step
  double bytes = 0;        // per device, with what is needed at once
};

/// The first that fits of: whole and kept, sharded and kept, whole and recomputed, sharded and
/// recomputed; each with as many samples at once as fit. When none fits, the last with one sample.
TrainingPlan plan_training(const Placement& placement, const ModelSpec& model,
                           const TrainingShape& shape);

}  // namespace drover::devices
