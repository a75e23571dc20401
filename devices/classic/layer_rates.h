// What one device reaches on the layers of convolution, recurrent and encoder nets.
#pragma once

#include <string_view>

#include "devices/operation/step_sum.h"

namespace drover::devices {

struct LayerRates {
  LayerRates(const Placement& placement, double clock_share);

  Rates rates;
  double share;          // of the peak that large layers reach in the computing precision
  bool computes_fp32;    // on the vector units, not narrowed to tf32
  double element_bytes;  // of activations and weights
  double kernel_s;       // between two kernels that have nothing to do
  MatrixRate products;   // at the device's share in 16 bits

  /// Seconds of the matrix units for (rows x inner) times (inner x columns).
  double product_seconds(double rows, double inner, double columns) const;
  /// Seconds to move bytes.
  double memory_seconds(double bytes) const { return bytes / rates.memory; }
  /// Attention that is bounded by its two products.
  double attention_seconds(double flops) const;
};

/// The precision that a net computes in: frameworks let convolutions in fp32 take tf32 where the
/// device has it, products not (PyTorch: backends.cudnn.allow_tf32 is on, cuda.matmul.allow_tf32
/// off since 1.12).
Precision layer_precision(const DeviceSpec& device, const ModelSpec& model, Precision precision);

/// The number of the catalogue that says the share: "layers.fp16".
std::string_view layer_fact(const DeviceSpec& device, Precision precision);

/// One kernel of a layer: products and traffic overlap, the longer one counts.
void add_layer_kernel(StepSum& sum, const LayerRates& layer, double product_s, double flops,
                      double bytes, double times);

}  // namespace drover::devices
