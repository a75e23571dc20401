// A systolic array of R x R holds a block of weights while rows stream through it; depth and
// columns are padded to R, rows to 8, and loading the next block hides behind at least R rows:
//   cycles = ceil(K/R) ceil(N/R) max(8 ceil(M/8), R) count
// (weight-stationary cycles of SCALE-Sim with loading overlapped as jax-ml/scaling-book describes).
// The compiler cuts rows or columns so that all arrays of a chip share the work. One kernel does
// not hide all of its traffic: the first blocks arrive before any arithmetic, and small products
// are all beginning. TPU v7x, 1024 cubed: 6.1 us where arithmetic takes 2 and traffic 2
// (AI-Hypercomputer/tpu-recipes); so time = (matrix^1.5 + memory^1.5)^(2/3).
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

double systolic_overlap(double matrix_s, double memory_s) {
  const double sum = matrix_s * std::sqrt(matrix_s) + memory_s * std::sqrt(memory_s);
  const double root = std::cbrt(sum);
  return root * root;
}

}  // namespace drover::devices
