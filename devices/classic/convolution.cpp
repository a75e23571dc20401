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
#include "devices/classic/convolution.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Bytes of depth per step of a kernel (fitted, 73 to 115).
constexpr double depth_bytes = 64;
/// Minimum number of columns of a group in a tile (a fragment of the matrix units).
constexpr double group_columns_min = 16;

struct ProductSizes {
  double rows, inner, columns;
};

double products_saved(const LayerRates& layer, const Convolution& it, int dimensions) {
  const bool filtered = it.kernel == 3 && it.stride == 1 && it.up == 1 && it.groups == 1;
  return layer.computes_fp32 && filtered && dimensions == 2 ? layer.rates.device.winograd_factor
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

}  // namespace drover::devices
