// What one device reaches on the layers of convolution, recurrent and encoder nets.
#pragma once

#include "devices/step_sum.h"

namespace drover::devices {

struct LayerRates {
  LayerRates(const Placement& placement, double clock_share);

  Rates rates;
  double share;          // of the peak that large layers reach in the computing precision
  double element_bytes;  // of activations and weights
  double kernel_s;       // between two kernels that have nothing to do

  /// Seconds of the matrix units for (rows x inner) times (inner x columns).
  double product_seconds(double rows, double inner, double columns) const;
  /// Seconds to move bytes.
  double memory_seconds(double bytes) const { return bytes / rates.memory; }
  /// Attention that is bounded by its two products.
  double attention_seconds(double flops) const;
};

/// One kernel of a layer: products and traffic overlap, the longer one counts.
void add_layer_kernel(StepSum& sum, const LayerRates& layer, double product_s, double flops,
                      double bytes, double times);

}  // namespace drover::devices
