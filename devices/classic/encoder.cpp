// A layer has four products over all tokens, the two products of attention, and memory
// passes: over tokens x hidden for the operations between products, and over heads x tokens x
// tokens for the scores, which these nets keep in memory. The backward pass repeats each product
// for both gradients.
#include <algorithm>
#include <array>

#include "devices/classic/layers.h"

namespace drover::devices {
namespace {

/// Kernels of a layer besides its products: forward, and forward with backward (counted in traces
/// of BERT: norms, activation, softmax, dropout, residuals).
constexpr double other_kernels = 2, other_training_kernels = 18;

void add_encoder_product(StepAccumulator& sum, const LayerRates& layer, double rows, double inner,
                         double columns, double times, bool training) {
  const double flops = 2 * rows * inner * columns;
  const double bytes = layer.element_bytes * (rows * inner + inner * columns + rows * columns);
  add_layer_kernel(sum, layer, layer.product_seconds(rows, inner, columns), flops, bytes, times);
  if (!training) return;
  add_layer_kernel(sum, layer, layer.product_seconds(rows, columns, inner), flops, bytes, times);
  add_layer_kernel(sum, layer, layer.product_seconds(inner, rows, columns), flops, bytes, times);
}

/// The product (rows x inner) times (inner x columns).
struct MatrixShape {
  double inner = 0;
  double columns = 0;
};

/// Query, key and value; attention output; gate and up; down.
std::array<MatrixShape, 4> layer_products(const ModelSpec& model) {
  const double hidden = model.hidden, head = model.head_size, heads = model.heads;
  const double feed_forward = model.feed_forward;
  return {{
      {hidden, (heads + 2 * std::max(1.0, static_cast<double>(model.kv_heads))) * head},
      {heads * head, hidden},
      {hidden, (model.gated ? 2 : 1) * feed_forward},
      {feed_forward, hidden},
  }};
}

}  // namespace

void add_encoder(StepAccumulator& sum, const LayerRates& layer, const ModelSpec& model,
                 const EncoderShape& shape) {
  const double hidden = model.hidden;
  const double rows = shape.items * shape.tokens;
  for (const MatrixShape& product : layer_products(model)) {
    add_encoder_product(sum, layer, rows, product.inner, product.columns, model.layers,
                        shape.training);
  }
  if (shape.training && model.loss_share > 0) {
    add_encoder_product(sum, layer, rows * model.loss_share, hidden, model.vocabulary, 1, true);
  }
  const double seen = shape.tokens + model.memory_tokens;
  const double flops = 4 * rows * seen * hidden * model.layers * (shape.training ? 3 : 1);
  sum.add_kernel(TimeComponent::attention, layer.attention_seconds(flops), flops, 0);
  const double factor = model.relative_positions && shape.training
                            ? layer.rates.device.layers.relative_score_factor
                            : 1;
  const double scores = rows * model.heads * seen * shape.score_passes * factor;
  sum.add_memory(layer.element_bytes * model.layers * (rows * hidden * shape.passes + scores));
  const double kernels = shape.training ? other_training_kernels : other_kernels;
  sum.add_kernel(TimeComponent::launch, kernels * model.layers * layer.kernel_s, 0, 0);
}

}  // namespace drover::devices
