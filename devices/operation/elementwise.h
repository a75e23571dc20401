// Work without matrix units: element-wise operations, normalisation, embedding.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/matrix.h"

namespace drover::devices {

enum class Elementwise : std::uint8_t {
  add,         // residual: two in, one out
  activation,  // of a gated feed-forward: two halves in, one out; `columns` of one half
  normalise,   // of rows of `columns`
  softmax,     // of rows of `columns`
  copy,
};

/// One pass over `rows` x `columns`. On TPUs XLA fuses most of them into their neighbours, so that
/// little traffic is left.
Kernel elementwise_kernel(const DeviceSpec& device, Elementwise operation, double rows,
                          double columns, double element_bytes, double clock_share);

}  // namespace drover::devices
