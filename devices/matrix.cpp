// GPU. The output is cut into tiles, one per multiprocessor at a time; the last wave of tiles runs
// as long as a full one (NVIDIA, "Matrix Multiplication Background": tile and wave quantisation).
// Where tiles are fewer than multiprocessors, the depth is split. The kernel with the best tile
// wins. Small tiles reuse less of what they load, so they reach less of the peak.
//
// TPU. A systolic array of R x R holds a block of weights while rows stream through it; depth and
// columns are padded to R, rows to 8, and loading the next block hides behind at least R rows:
//   cycles = ceil(K/R) * ceil(N/R) * max(ceil(M/8)*8, R)
// (weight-stationary cycles of SCALE-Sim with loading overlapped as jax-ml/scaling-book describes).
#include "devices/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace drover::devices {
namespace {

/// Tile edges in shares of the device's matrix_tile (cuBLAS picks among such shapes).
struct TileForm {
  double rows, columns;
};
constexpr std::array<TileForm, 5> tile_forms = {{{2, 1}, {1, 2}, {1, 1}, {1, 0.5}, {0.5, 0.5}}};

/// Depth below which splitting a product further costs more than it gains (assumed).
constexpr double split_depth_min = 256;

/// Reuse at which a tile reaches half of the peak, in elements (assumed: 64 x 64 tiles reach about
/// 0.88 of what 256 x 128 tiles reach).
constexpr double reuse_half = 8;

double reuse_share(double tile_rows, double tile_columns) {
  const double reuse = tile_rows * tile_columns / (tile_rows + tile_columns);
  return reuse / (reuse + reuse_half);
}

double tiled_seconds(const DeviceSpec& device, double rate, double rows, const MatrixShape& shape) {
  const double edge = device.matrix_tile;
  const double units = device.matrix_units;
  const double best_reuse = reuse_share(2 * edge, edge);
  double best = std::numeric_limits<double>::infinity();
  for (const TileForm& form : tile_forms) {
    const double tile_rows = form.rows * edge;
    const double tile_columns = form.columns * edge;
    const double tiles = std::ceil(rows / tile_rows) * std::ceil(shape.columns / tile_columns);
    const double depth_parts = std::max(1.0, std::floor(shape.inner / split_depth_min));
    const double splits = std::clamp(std::floor(units / tiles), 1.0, depth_parts);
    const double waves = std::ceil(tiles / units);
    const double share = reuse_share(tile_rows, tile_columns) / best_reuse;
    const double tile_seconds =
        2 * tile_rows * tile_columns * shape.inner / splits / (rate / units * share);
    best = std::min(best, waves * tile_seconds);
  }
  return best;
}

double systolic_seconds(const DeviceSpec& device, double rate, double rows,
                        const MatrixShape& shape) {
  const double edge = device.matrix_tile;
  const double blocks = std::ceil(shape.inner / edge) * std::ceil(shape.columns / edge);
  const double padded_rows = std::ceil(rows / device.row_padding) * device.row_padding;
  const double block_flops = 2 * edge * edge * std::max(padded_rows, edge);
  const double waves = std::ceil(blocks / device.matrix_units);
  return waves * block_flops / (rate / device.matrix_units);
}

/// What stands in for a precision that is not native, best first.
constexpr std::array<Precision, 4> wider = {Precision::bf16, Precision::fp16, Precision::tf32,
                                            Precision::fp32};

/// XLA computes fp32 products on bf16 units in six passes at its highest setting.
constexpr double fp32_passes = 6;

}  // namespace

Precision compute_precision(const DeviceSpec& device, Precision weights) {
  if (device.runs(weights)) return weights;
  if (weights == Precision::tf32 && device.runs(Precision::fp32)) return Precision::fp32;
  for (const Precision precision : wider) {
    if (device.runs(precision)) return precision;
  }
  return Precision::int8;
}

double compute_peak(const DeviceSpec& device, Precision weights) {
  const Precision precision = compute_precision(device, weights);
  const bool wants_fp32 = weights == Precision::fp32 || weights == Precision::tf32;
  const bool emulated =
      wants_fp32 && (precision == Precision::bf16 || precision == Precision::fp16);
  return device.peak(precision) / (emulated ? fp32_passes : 1);
}

double matrix_seconds(const DeviceSpec& device, double peak, double rows,
                      const MatrixShape& shape) {
  if (rows <= 0) return 0;
  const double rate = peak * device.compute_efficiency;
  return device.device_class == DeviceClass::gpu ? tiled_seconds(device, rate, rows, shape)
                                                 : systolic_seconds(device, rate, rows, shape);
}

}  // namespace drover::devices
