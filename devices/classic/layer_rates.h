// The rates that one device achieves on the layers of convolution, recurrent and encoder nets.
#pragma once

#include <string_view>

#include "devices/catalogue/model.h"
#include "devices/operation/step_accumulator.h"

namespace drover::devices {

struct LayerRates {
  LayerRates(const Placement& placement, double clock_share);

  Rates rates;
  double share;          // of the peak in the computing precision, achieved by large layers
  bool computes_fp32;    // on the vector units, not in tf32
  double element_bytes;  // of activations and weights
  double kernel_s;       // minimum time between two kernels
  MatrixRate products;   // at the device's achieved share in 16 bits

  /// Seconds of the matrix units for the product (rows x inner) times (inner x columns).
  double product_seconds(double rows, double inner, double columns) const;
  /// Seconds to move bytes.
  double memory_seconds(double bytes) const { return bytes / rates.memory; }
  /// Seconds of attention bounded by its two products.
  double attention_seconds(double flops) const;
};

/// The precision in which a net computes. Frameworks compute fp32 convolutions in tf32 on devices
/// that have it, but not matrix products (PyTorch: backends.cudnn.allow_tf32 is on,
/// cuda.matmul.allow_tf32 is off since 1.12).
Precision layer_precision(const DeviceSpec& device, const ModelSpec& model, Precision precision);

/// The catalogue key of the achieved share: "layers.fp16".
std::string_view layer_fact(const DeviceSpec& device, Precision precision);

/// Adds one kernel of a layer. Products and memory traffic overlap; the longer one counts.
void add_layer_kernel(StepAccumulator& sum, const LayerRates& layer, double product_s, double flops,
                      double bytes, double times);

}  // namespace drover::devices
