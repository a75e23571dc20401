// A convolution of n items is a matrix product (Chetlur et al. 2014, cuDNN) with
//   rows     n x output positions
//   inner    taps x inputs / groups
//   columns  outputs / groups, for each group
// and its two gradients are products with the same three sizes permuted. The depth is padded to one
// step of the matrix units. Groups are placed side by side in a tile, each padded to the smallest
// fragment; a convolution with one channel per group (depthwise) is bounded by memory.
// In fp32 a library may compute tiles of 3 x 3 taps at stride 1 with fewer multiplications
// (Winograd's minimal filtering: Lavin and Gray 2016, arXiv:1509.09308, 36 become 16 for tiles of 2
// x 2).
//
// An LSTM multiplies its inputs by the weights of all gates for all steps at once, then its state
// step by step (Appleyard et al. 2016, arXiv:1604.01946). Each step is a small product that reads
// its weights again, from the caches if they fit, and depends on the previous step.
#include "devices/classic/layers.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Bytes of depth per step of a kernel (fitted, 73 to 115).
constexpr double depth_bytes = 64;
/// Minimum number of columns of a group in a tile (a fragment of the matrix units).
constexpr double group_columns_min = 16;

/// Bandwidth of caches over that of memory (assumed: about three on GPUs of all generations).
constexpr double cache_factor = 3;

struct ProductSizes {
  double rows, inner, columns;
};

double products_saved(const LayerRates& layer, const Convolution& it, int dimensions) {
  const bool filtered = it.kernel == 3 && it.stride == 1 && it.up == 1 && it.groups == 1;
  return layer.computes_fp32 && filtered && dimensions == 2
             ? layer.rates.device.layers.winograd_factor
             : 1;
}

ProductSizes sizes_of(const ConvolutionSize& size, const Convolution& it, double items, Pass pass) {
  const double positions = items * size.positions;
  const double depth = size.taps * it.inputs / it.groups;
  const double columns = it.outputs / it.groups;
  switch (pass) {
    case Pass::forward:
      return {positions, depth, columns};
    case Pass::data_gradient:
      return {positions, columns, depth};
    case Pass::weight_gradient:
      return {depth, positions, columns};
  }
  return {};
}

}  // namespace

void add_convolution(StepAccumulator& sum, const LayerRates& layer, const Convolution& convolution,
                     int dimensions, double items, Pass pass, double traffic) {
  const ConvolutionSize size = size_of(convolution, dimensions);
  const double groups = convolution.groups;
  const ProductSizes product = sizes_of(size, convolution, items, pass);
  const double flops = 2 * product.rows * product.inner * product.columns * groups;
  const double activations = items * (size.inputs + size.outputs);
  const double bytes = layer.element_bytes * (activations * traffic + size.parameters);
  const bool depthwise = groups > 1 && convolution.outputs <= groups;
  double product_s = 0;
  if (!depthwise) {
    const double step = depth_bytes / layer.element_bytes;
    const double inner = std::ceil(product.inner / step) * step;
    const double columns =
        groups > 1 ? groups * std::max(product.columns, group_columns_min) : product.columns;
    product_s = layer.product_seconds(product.rows, inner, columns) /
                products_saved(layer, convolution, dimensions);
  }
  add_layer_kernel(sum, layer, product_s, flops, bytes, convolution.times);
}

void add_dense(StepAccumulator& sum, const LayerRates& layer, const DenseLayer& it, double items,
               bool training) {
  const double rows = items * it.rows;
  const double flops = 2 * rows * it.inputs * it.outputs;
  const double bytes =
      layer.element_bytes * (rows * (it.inputs + it.outputs) + it.inputs * it.outputs);
  const auto add = [&](double product_s) {
    add_layer_kernel(sum, layer, product_s, flops, bytes, it.times);
  };
  add(layer.product_seconds(rows, it.inputs, it.outputs));
  if (!training) return;
  add(layer.product_seconds(rows, it.outputs, it.inputs));
  add(layer.product_seconds(it.inputs, rows, it.outputs));
}

void add_recurrence(StepAccumulator& sum, const LayerRates& layer, const Recurrence& it,
                    double items, double passes, double step_s) {
  const double width = it.gates * it.outputs;
  const double times = it.times * passes;
  const double size = layer.element_bytes;
  const double rows = items * it.steps;
  if (!it.feed_forward) {
    add_layer_kernel(sum, layer, layer.product_seconds(rows, it.inputs, width),
                     2 * rows * it.inputs * width,
                     size * (rows * (it.inputs + width) + it.inputs * width), times);
  }
  const double state = it.feed_forward ? it.inputs : it.outputs;
  const double weight_bytes = size * state * width;
  const bool cached = weight_bytes < layer.rates.device.memory.l2_bytes;
  const double reading_s = layer.memory_seconds(weight_bytes) / (cached ? cache_factor : 1);
  const double work_s = std::max(layer.product_seconds(items, state, width), reading_s);
  sum.add_kernel(work_s > reading_s ? TimeComponent::matrix : TimeComponent::memory,
                 times * it.steps * work_s, times * it.steps * 2 * items * state * width,
                 cached ? 0 : times * it.steps * weight_bytes);
  sum.add_kernel(TimeComponent::launch, times * it.steps * step_s, 0, 0);
}

}  // namespace drover::devices
