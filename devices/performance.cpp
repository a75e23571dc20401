// Serving: prefill and decode of a transformer, one device of a tensor-parallel set.
//
//   step = sum over products of max(compute, memory) + attention + element-wise + launches
//          + two all-reduces per layer + per-request work
// The form and the order of the constants follow the measured inter-token latencies of dense
// models under vLLM on H100 (ML.ENERGY leaderboard); the fitted values stand in the device specs.
#include "devices/performance.h"

#include <algorithm>

#include "devices/layers.h"
#include "devices/step_sum.h"

namespace drover::devices {
namespace {

/// Kernels or fused parts of one layer: qkv, attention, output, gate and up, down.
constexpr double parts_per_layer = 5;

/// Bytes of element-wise traffic per token, layer and hidden unit in a forward pass: two norms,
/// two residual additions and the activation function, fused, 16 bits (assumed).
constexpr double elementwise_bytes_forward = 24;

/// Passes over the activations of a convolution net in a forward pass (assumed).
constexpr double convolution_forward_passes = 2;

bool is_transformer(const ModelSpec& model) {
  return model.architecture != Architecture::convolution;
}

/// Everything of a forward pass over `rows` tokens but attention over context; `last_rows` of them
/// go through the output matrix.
void add_layers(StepSum& sum, const Rates& rates, const ModelSpec& model, double rows,
                double last_rows) {
  for (const MatrixShape& shape : layer_products(model, rates.devices)) {
    sum.add_product(rows, shape, model.layers);
  }
  if (model.architecture == Architecture::decoder) {
    const MatrixShape output{static_cast<double>(model.hidden),
                             static_cast<double>(model.vocabulary) / rates.devices};
    sum.add_product(last_rows, output, 1);
  }
  const double hidden = model.hidden;
  sum.add_memory(elementwise_bytes_forward * hidden * rows * model.layers);
  sum.add_launches(parts_per_layer * model.layers + 2);
  sum.add_all_reduce(rows * hidden * rates.activation_bytes, 2.0 * model.layers);
}

void add_convolution(StepSum& sum, const ModelSpec& model, double items) {
  sum.add_flops(items * model.flops_per_item, convolution_efficiency);
  sum.add_memory(items * model.activation_bytes_per_item * convolution_forward_passes);
  sum.add_launches(50);
}

double attention_flops_per_pair(const Rates& rates, const ModelSpec& model) {
  // Scores and weighted sum, two flops each per element of a head.
  return 4.0 * model.layers * model.heads * model.head_size / rates.devices;
}

double kv_bytes_each(const Rates& rates, const ModelSpec& model) {
  return 2.0 * model.layers * kv_heads_each(model, rates.devices) * model.head_size *
         rates.activation_bytes;
}

/// Step of a decode with `context` tokens in all caches together.
StepSum decode_sum(const Rates& rates, const ModelSpec& model, std::uint32_t batch,
                   double context) {
  StepSum sum(rates);
  const double rows = shape_bucket(rates.device, std::max(batch, 1u));
  if (!is_transformer(model)) {
    add_convolution(sum, model, rows);
    return sum;
  }
  add_layers(sum, rates, model, rows, rows);
  sum.add_attention(context * attention_flops_per_pair(rates, model),
                    context * kv_bytes_each(rates, model));
  sum.add_seconds(std::max(batch, 1u) * rates.device.request_s);
  return sum;
}

}  // namespace

Step prefill_step(const Placement& placement, const ModelSpec& model, std::uint32_t tokens,
                  std::uint64_t context, double clock_share) {
  const Rates rates(placement, clock_share);
  StepSum sum(rates);
  const double rows = shape_bucket(rates.device, std::max(tokens, 1u));
  if (!is_transformer(model)) {
    add_convolution(sum, model, rows);
    return sum.step();
  }
  add_layers(sum, rates, model, rows, 1);
  // A decoder's token sees the earlier ones; an encoder's sees all.
  const double seen = model.architecture == Architecture::decoder ? (rows + 1) / 2 : rows;
  const double pairs = rows * (static_cast<double>(context) + seen);
  sum.add_attention(pairs * attention_flops_per_pair(rates, model),
                    (static_cast<double>(context) + rows) * kv_bytes_each(rates, model));
  return sum.step();
}

DecodePace decode_pace(const Placement& placement, const ModelSpec& model, std::uint32_t batch,
                       double clock_share) {
  const Rates rates(placement, clock_share);
  DecodePace pace;
  pace.base_s = decode_sum(rates, model, batch, 0).seconds();
  if (!is_transformer(model)) return pace;
  StepSum one_token(rates);
  one_token.add_attention(attention_flops_per_pair(rates, model), kv_bytes_each(rates, model));
  pace.per_context_token_s = one_token.seconds();
  return pace;
}

Step decode_step(const Placement& placement, const ModelSpec& model, std::uint32_t batch,
                 double context, double clock_share) {
  const Rates rates(placement, clock_share);
  return decode_sum(rates, model, batch, context).step();
}

}  // namespace drover::devices
