// The attention of one layer as one kernel: scores, softmax and weighted sum.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/matrix.h"

namespace drover::devices {

struct AttentionShape {
  double batch = 1;    // sequences
  double queries = 1;  // new tokens per sequence; 1: a decode step
  double context = 0;  // tokens before them, in a cache
  double heads = 0;    // of queries, on this device
  double kv_heads = 0;
  double head_size = 0;
  bool causal = true;        // a new token does not attend to later ones
  double cache_bytes = 2;    // of one element of keys and values
  double element_bytes = 2;  // of queries and results
};

/// The kernel, without the fixed time to start. Monotonic in the shape.
Kernel attention_kernel(const DeviceSpec& device, Precision precision, const AttentionShape& shape,
                        double clock_share);

/// Attention time of a decode step, which is linear in the total number of cached tokens.
struct DecodeAttentionTime {
  double base_s = 0;
  double per_context_token_s = 0;
};
DecodeAttentionTime decode_attention(const DeviceSpec& device, Precision precision,
                                     const AttentionShape& shape, double clock_share);

/// Useful operations of the forward pass: two products over the attended pairs.
double attention_flops(const AttentionShape& shape);

}  // namespace drover::devices
