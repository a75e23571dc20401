// A systolic array of R x R keeps a block of weights while rows stream through it. Depth and
// columns are padded to R, rows to 8, and loading the next block is hidden behind at least R rows:
//   cycles = ceil(K/R) ceil(N/R) max(8 ceil(M/8), R) count
// (weight-stationary cycles of SCALE-Sim with loading overlapped as jax-ml/scaling-book describes).
// The compiler splits rows or columns so that all arrays of a chip share the work.
#include "devices/operation/systolic.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {

double systolic_seconds(const DeviceSpec& device, double rate, const Product& product) {
  const double edge = device.matrix_tile;
  const double padding = device.row_padding;
  const double blocks = std::ceil(product.inner / edge) * std::ceil(product.columns / edge);
  const double rows = std::max(std::ceil(product.rows / padding) * padding, edge);
  return 2 * edge * edge * blocks * rows * product.count / rate;
}

}  // namespace drover::devices
