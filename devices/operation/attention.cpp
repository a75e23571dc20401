// Fused attention (FlashAttention, arXiv:2205.14135, 2307.08691) uses tiles of up to 128 query
// rows; the query heads of one key-value head share a tile. Each tile iterates over the keys that
// it attends to: two products and one exponential per pair of query and key.
//
//   rows  = tiles of queries x (heads / kv heads), padded to 16, 64 or 128
//   keys  = context + mean of the new ones + half a tile of masked ones (causal) + 108 (a tile's
//           start and end, counted in keys)
//   pair  = 4 head / (peak share) + 0.67 / (16 exponentials per clock and multiprocessor)
//   time  = batch kv_heads rows keys pair / (0.92 if causal: tiles of unequal length)
//
// Fitted to the FlashAttention-3 paper's figures of FlashAttention-2 on H100 (heads of 64 and 128,
// 512 to 16k tokens, causal and not: 24 points, 191 to 370 TFLOP/s): 1.2 % mean error with share
// 0.44, 108 keys, 0.67 and 0.92. The same form with share 0.8 gives the 225 TFLOP/s of
// FlashAttention-2 on A100. With fewer tiles than multiprocessors, the keys are split. Decoding
// reads every key and value once, at the bandwidth that paged kernels achieve.
#include "devices/operation/attention.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

constexpr double tile_rows_max = 128;
/// Minimum number of keys per multiprocessor when they are split.
constexpr double split_keys_min = 256;
constexpr double overhead_keys = 108;
constexpr double causal_balance = 0.92;
constexpr double exponentials_per_clock = 16;
/// Share of the exponentials' time that is not hidden behind the products.
constexpr double exposed_exponentials = 0.67;

double padded_rows(double rows) {
  const double tile = rows > 64 ? tile_rows_max : rows > 16 ? 64 : 16;
  return std::ceil(rows / tile) * tile;
}

double keys_seen(const AttentionShape& shape) {
  return shape.context + (shape.causal ? (shape.queries + 1) / 2 : shape.queries);
}

/// Elements of keys and values of one token, all heads.
double cached_elements(const AttentionShape& shape) {
  return shape.kv_heads * (2 * shape.head_size);
}

double memory_rate(const DeviceSpec& device) {
  return device.memory.bandwidth * (device.attention.cache_efficiency > 0
                                        ? device.attention.cache_efficiency
                                        : device.memory.efficiency);
}

/// Seconds of one pair of a padded query row and a key.
double pair_seconds(const DeviceSpec& device, Precision precision, const AttentionShape& shape,
                    double clock_share) {
  const bool systolic = device.device_class == DeviceClass::tpu;
  const double edge = systolic ? device.matrix.tile : 16;
  const auto padded = [edge](double size) { return std::ceil(size / edge) * edge; };
  const double flops = 2 * (2 * padded(shape.head_size));
  const double rate = compute_peak(device, precision) * device.attention.matrix_share * clock_share;
  if (systolic) return flops / rate;
  const double exponentials =
      exponentials_per_clock * device.matrix.units * device.clock.nominal_mhz * 1e6 * clock_share;
  return flops / rate + exposed_exponentials / exponentials;
}

double compute_seconds(const DeviceSpec& device, Precision precision, const AttentionShape& shape,
                       double clock_share) {
  const double together = shape.queries * shape.heads / shape.kv_heads;
  const double rows = padded_rows(together);
  const double masked = shape.causal && shape.queries > 1
                            ? std::min(rows, tile_rows_max) * shape.kv_heads / shape.heads / 2
                            : 0;
  const double keys = keys_seen(shape) + masked + overhead_keys;
  const double tiles = shape.batch * shape.kv_heads * std::ceil(rows / tile_rows_max);
  const double pieces = tiles * std::max(1.0, keys / split_keys_min);
  const double filled = std::min(1.0, pieces / device.matrix.units);
  const double balance = shape.causal && shape.queries > 1 ? causal_balance : 1;
  return shape.batch * shape.kv_heads * rows * keys *
         pair_seconds(device, precision, shape, clock_share) / (filled * balance);
}

double traffic(const AttentionShape& shape) {
  const double moved = shape.queries * shape.heads * (2 * shape.head_size);
  return shape.batch *
         (cached_elements(shape) * (shape.context + shape.queries) * shape.cache_bytes +
          moved * shape.element_bytes);
}

}  // namespace

double attention_flops(const AttentionShape& shape) {
  return 2 * shape.batch * shape.heads * shape.queries * keys_seen(shape) * (2 * shape.head_size);
}

DecodeAttentionTime decode_attention(const DeviceSpec& device, Precision precision,
                                     const AttentionShape& shape, double clock_share) {
  AttentionShape step = shape;
  step.queries = 1;
  const double per_key = shape.kv_heads * padded_rows(shape.heads / shape.kv_heads) *
                         pair_seconds(device, precision, step, clock_share);
  const double per_token = cached_elements(shape) * shape.cache_bytes / memory_rate(device);
  DecodeAttentionTime pace;
  pace.per_context_token_s = std::max(per_key, per_token);
  step.context = 0;
  pace.base_s = traffic(step) / memory_rate(device);
  return pace;
}

Kernel attention_kernel(const DeviceSpec& device, Precision precision, const AttentionShape& shape,
                        double clock_share) {
  Kernel kernel;
  kernel.flops = attention_flops(shape);
  kernel.bytes = traffic(shape);
  kernel.memory_seconds = kernel.bytes / memory_rate(device);
  if (shape.queries <= 1) {
    const DecodeAttentionTime pace = decode_attention(device, precision, shape, clock_share);
    kernel.seconds = pace.base_s + pace.per_context_token_s * shape.batch * shape.context;
    kernel.matrix_seconds =
        std::min(kernel.seconds, kernel.flops / compute_peak(device, precision));
    return kernel;
  }
  kernel.matrix_seconds = compute_seconds(device, precision, shape, clock_share);
  kernel.seconds = std::max(kernel.matrix_seconds, kernel.memory_seconds);
  return kernel;
}

}  // namespace drover::devices
