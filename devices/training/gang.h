// Data-parallel training of encoders and convolutions: what is sharded, what is recomputed, how
// many samples run at once.
#pragma once

#include "devices/catalogue/model.h"
#include "devices/operation/step.h"

namespace drover::devices {

struct TrainingPlan {
  bool sharded = false;    // weights, gradients and optimiser states are split over the gang
  bool recompute = false;  // activations are recomputed instead of kept
  bool fits = false;
  double samples = 1;      // per device and micro-step
  double micro_steps = 1;  // per optimiser step
  double bytes = 0;        // per device, at the peak
};

/// The first plan that fits of: neither, sharded, recomputed, sharded and recomputed; each with the
/// largest number of samples that fit. When none fits, the last one with one sample.
TrainingPlan plan_training(const Placement& placement, const ModelSpec& model,
                           const TrainingShape& shape);

}  // namespace drover::devices
