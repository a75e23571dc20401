// The memory use of one device in training.
#pragma once

#include "devices/training/layout.h"

namespace drover::devices {

/// Parameters of the model that one device computes with: its own or, when sharded, those that it
/// gathers in turn.
double owned_parameters(const ModelSpec& model, const Layout& layout);

/// Bytes of one layer's activations kept for the backward pass, per token. `narrow`: the inputs of
/// products are kept in 8 bits.
double activation_bytes_per_token(const ModelSpec& model, bool narrow);

/// Share of the forward pass that is recomputed: as requested, else as much as is needed to fit.
double recomputed_share(const TrainingJob& job, const Layout& layout);

/// Memory use by kind, without the activations that are recomputed.
MemoryUse training_memory(const TrainingJob& job, const Layout& layout);
bool training_fits(const TrainingJob& job, const Layout& layout);

/// Data-parallel training of encoders and convolutions.
struct TrainingPlan {
  bool fits = false;
  double bytes = 0;  // per device, at the peak
};

/// The first plan that fits of: neither, sharded, recomputed, sharded and recomputed; each with the
/// largest number of samples that fit. When none fits, the last one with one sample. REQUIRES a
/// model that is not a decoder.
TrainingPlan plan_training(const Placement& placement, const ModelSpec& model,
                           const TrainingShape& shape);

}  // namespace drover::devices
