// How long the matrix units of one device take for a product, with what tiles and padding waste.
#pragma once

#include "devices/layers.h"
#include "devices/spec.h"

namespace drover::devices {

/// The precision that the matrix units compute in for weights of `weights`: the same where native;
/// else the weights are widened on the way (int8 and fp8 to bf16, fp16 to bf16, tf32 to fp32, ..).
Precision compute_precision(const DeviceSpec& device, Precision weights);

/// Peak rate in that precision, flop/s. fp32 where it is not native takes six bf16 passes.
double compute_peak(const DeviceSpec& device, Precision weights);

/// Seconds at the nominal clock, never fewer for more rows, columns or depth.
double matrix_seconds(const DeviceSpec& device, double peak, double rows, const MatrixShape& shape);

}  // namespace drover::devices
