// What one device holds while a decoder trains.
#pragma once

#include "devices/operation/memory_use.h"
#include "devices/training/layout.h"

namespace drover::devices {

/// Weights of the whole model that one device holds or, sharded, gathers in turn.
double owned_parameters(const ModelSpec& model, const Layout& layout);

/// Bytes of one layer that wait for the backward pass, per token. `narrow`: the inputs of products
/// are kept in 8 bits.
double kept_bytes_per_token(const ModelSpec& model, bool narrow);

/// Share of a forward pass that runs again so that the rest fits; the request's where it says so.
double recomputed_share(const TrainingJob& job, const Layout& layout);

/// By kind, with what is recomputed left out.
MemoryUse training_memory(const TrainingJob& job, const Layout& layout);
bool training_fits(const TrainingJob& job, const Layout& layout);

}  // namespace drover::devices
