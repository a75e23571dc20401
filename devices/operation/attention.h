// Attention of one layer as one kernel: scores, softmax and weighted sum.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/matrix.h"

namespace drover::devices {

struct AttentionShape {
  double batch = 1;    // sequences
  double queries = 1;  // new tokens of each; 1: a decode step
  double context = 0;  // tokens before them, from a cache
  double heads = 0;    // of queries, on this device
  double kv_heads = 0;
  double head_size = 0;
  double value_size = 0;     // 0: as head_size
  bool causal = true;        // a new token sees no later one
  bool fused = true;         // scores stay on chip (FlashAttention); else they go through memory
  bool tuned = false;        // kernels that a maker tunes for the chip (FlashAttention-3, cuDNN)
  double cache_bytes = 2;    // of one element of keys and values
  double element_bytes = 2;  // of queries and results
};

/// The kernel, without the fixed time of a start. Never faster for a larger shape.
Kernel attention_kernel(const DeviceSpec& device, Precision precision, const AttentionShape& shape,
                        double clock_share);

/// A decode step's attention is linear in the tokens of all caches together (fused kernels).
struct AttentionPace {
  double base_s = 0;
  double per_context_token_s = 0;
};
AttentionPace decode_attention(const DeviceSpec& device, Precision precision,
                               const AttentionShape& shape, double clock_share);

/// Operations of the forward pass that count: two products over the pairs that are seen.
double attention_flops(const AttentionShape& shape);

}  // namespace drover::devices
