// The kernels of one convolution, computed as implicit GEMM.
#pragma once

#include <cstdint>

#include "devices/catalogue/layered.h"
#include "devices/classic/layer_rates.h"

namespace drover::devices {

/// Forward: out = in * w. Backward: d in = d out * w, and d w = in * d out.
enum class Pass : std::uint8_t { forward, data_gradient, weight_gradient };

/// Adds the kernels of all `times` repetitions of the layer for `items` items. `traffic` is the
/// share of the activations that is read from and written to memory.
void add_convolution(StepAccumulator& sum, const LayerRates& layer, const Convolution& convolution,
                     int dimensions, double items, Pass pass, double traffic);

}  // namespace drover::devices
