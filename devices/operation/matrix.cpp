// GPUs. The output is split into tiles, one per multiprocessor at a time; the last wave of tiles
// takes nearly as long as a full one (NVIDIA, "Matrix Multiplication Background": tile and wave
// quantisation). With fewer tiles than multiprocessors, the depth is split among them and the
// partial sums are added through the cache. The kernel with the best tile is used:
//
//   tiles  = ceil(M/a) ceil(N/b) count,  x = tiles / multiprocessors
//   whole  = 2 a b K / (rate per multiprocessor * g(a, b)),  g = reuse / (reuse + half), scaled to
//            1 at the largest tile, reuse = a b / (a + b)
//   matrix = (0.8 ceil(x) + 0.2 max(1, x)) whole            or, split p = floor(1/x) ways,
//            whole / p + 3 us + 8 a b multiprocessors / (3 bandwidth)
//   memory = operand and result bytes / (bandwidth * operand efficiency)
//   time   = (matrix^3 + memory^3)^(1/3)
//
// The five universal figures (0.8, half, 3 us, 3, the power 3) are fitted to 720 GEMM timings of
// A100, H100 and A40 (microsoft/vidur) and 510 of V100, P100 and T4 (DeepBench): 5.9 to 6.5 % mean
// on Vidur's, and flat around the optimum. A term for panels that exceed the cache and are read
// again did not help. Per generation only the efficiencies and the fixed time are fitted.
//
// TPUs. A systolic array of R x R keeps a block of weights while rows stream through it. Depth and
// columns are padded to R, rows to 8, and loading the next block is hidden behind at least R rows:
//
//   cycles = ceil(K/R) ceil(N/R) max(8 ceil(M/8), R) count
//
// (weight-stationary cycles of SCALE-Sim with loading overlapped as jax-ml/scaling-book describes).
// The compiler splits rows or columns so that all arrays of a chip share the work.
#include "devices/operation/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace drover::devices {
namespace {

/// Tile edges as shares of the device's tile (cuBLAS chooses among such shapes).
struct TileForm {
  double rows, columns;
};
/// For matrix units; and for vector units, whose registers allow tiles up to 128 x 128.
constexpr std::array<TileForm, 8> matrix_forms{
    {{2, 1}, {1, 2}, {1, 1}, {1, 0.5}, {0.5, 1}, {0.5, 0.5}, {0.5, 0.25}, {0.25, 0.5}}};
constexpr std::array<TileForm, 7> vector_forms{
    {{1, 1}, {1, 0.5}, {0.5, 1}, {0.5, 0.5}, {0.5, 0.25}, {0.25, 0.5}, {0.25, 0.25}}};

/// Share of the waves that is rounded up to whole waves; the next tiles fill the rest.
constexpr double rounded_share = 0.8;
/// Minimum depth of a part when a product is split by depth.
constexpr double split_depth_min = 256;
/// Time of a second kernel that adds the parts, and the cache's bandwidth over the memory's.
constexpr double split_s = 3e-6;
constexpr double cache_over_memory = 3;
/// Reuse at which a tile achieves half of the peak, in elements. Vector units need less.
constexpr double matrix_reuse_half = 10;
constexpr double vector_reuse_half = 2;

/// The minimum speed-up of 16 bits over fp32 on multiprocessors with matrix units.
constexpr double matrix_unit_gain = 2.5;

/// Seconds of the matrix units of a TPU alone. Monotonic in the size of the product.
double systolic_seconds(const DeviceSpec& device, double rate, const Product& product) {
  const double edge = device.matrix.tile;
  const double padding = device.matrix.row_padding;
  const double blocks = std::ceil(product.inner / edge) * std::ceil(product.columns / edge);
  const double rows = std::max(std::ceil(product.rows / padding) * padding, edge);
  return 2 * edge * edge * blocks * rows * product.count / rate;
}

bool on_matrix_units(const DeviceSpec& device, Precision computing) {
  if (computing == Precision::fp32 || computing == Precision::fp64) return false;
  const double fp32 = device.peak(Precision::fp32);
  return fp32 <= 0 || device.peak(computing) > matrix_unit_gain * fp32;
}

double reuse_share(double tile_rows, double tile_columns, double half) {
  const double reuse = tile_rows * tile_columns / (tile_rows + tile_columns);
  return reuse / (reuse + half);
}

/// ceil of a non-negative number. std::ceil is a function call without SSE 4.1, four per tile.
double whole_of(double number) {
  constexpr double whole_above = 1LL << 52;
  if (number >= whole_above) return number;
  const auto below = static_cast<std::int64_t>(number);
  return static_cast<double>(below) + (static_cast<double>(below) < number ? 1 : 0);
}

/// Replacements for a precision that is not native, best first.
constexpr std::array<Precision, 4> wider = {Precision::bf16, Precision::fp16, Precision::tf32,
                                            Precision::fp32};

/// XLA computes fp32 products on bf16 units in six passes at its highest setting.
constexpr double fp32_passes = 6;

/// Shares of the peak by computing precision; 0: the general one applies.
struct EfficiencyRow {
  Precision precision;
  double DeviceSpec::Matrix::*efficiency;
  std::string_view fact;
};
constexpr EfficiencyRow plain_efficiency{Precision::bf16, &DeviceSpec::Matrix::efficiency,
                                         "matrix.efficiency"};
constexpr std::array<EfficiencyRow, 8> efficiency_rows{{
    {Precision::fp64, &DeviceSpec::Matrix::fp32_efficiency, "matrix.fp32_efficiency"},
    {Precision::fp32, &DeviceSpec::Matrix::fp32_efficiency, "matrix.fp32_efficiency"},
    {Precision::tf32, &DeviceSpec::Matrix::tf32_efficiency, "matrix.tf32_efficiency"},
    {Precision::fp16, &DeviceSpec::Matrix::fp16_efficiency, "matrix.fp16_efficiency"},
    {Precision::fp8, &DeviceSpec::Matrix::fp8_efficiency, "matrix.fp8_efficiency"},
    {Precision::int8, &DeviceSpec::Matrix::int8_efficiency, "matrix.int8_efficiency"},
    {Precision::int4, &DeviceSpec::Matrix::int8_efficiency, "matrix.int8_efficiency"},
    {Precision::fp4, &DeviceSpec::Matrix::fp4_efficiency, "matrix.fp4_efficiency"},
}};

const EfficiencyRow& efficiency_row(const DeviceSpec& device, Precision weights) {
  const Precision computing = compute_precision(device, weights);
  for (const EfficiencyRow& row : efficiency_rows) {
    if (row.precision == computing && device.matrix.*row.efficiency > 0) return row;
  }
  return plain_efficiency;
}

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

double matrix_efficiency(const DeviceSpec& device, Precision weights) {
  return device.matrix.*efficiency_row(device, weights).efficiency;
}

std::string_view matrix_fact(const DeviceSpec& device, Precision weights) {
  return efficiency_row(device, weights).fact;
}

double operand_bandwidth(const DeviceSpec& device) {
  return device.memory.bandwidth * (device.matrix.operand_efficiency > 0
                                        ? device.matrix.operand_efficiency
                                        : device.memory.efficiency);
}

MatrixRate::MatrixRate(const DeviceSpec& device, Precision computing, double rate)
    : device_(device), rate_(rate), units_(device.matrix.units) {
  if (device.device_class == DeviceClass::tpu) return;
  const bool matrix = on_matrix_units(device, computing);
  const std::span<const TileForm> forms =
      matrix ? std::span<const TileForm>(matrix_forms) : std::span<const TileForm>(vector_forms);
  const double half = matrix ? matrix_reuse_half : vector_reuse_half;
  const double edge = device.matrix.tile;
  const double best = reuse_share(forms[0].rows * edge, forms[0].columns * edge, half);
  const double adding = cache_over_memory * operand_bandwidth(device);
  for (const TileForm& form : forms) {
    const double rows = form.rows * edge, columns = form.columns * edge;
    const double area = rows * columns;
    const double share = reuse_share(rows, columns, half) / best;
    tiles_[tile_count_++] = {rows, columns, 2 * area / (rate / units_ * share), 2 / (rate * share),
                             split_s + 8 * area * units_ / adding};
  }
}

double MatrixRate::tile_seconds(const Tile& tile, const Product& product) const {
  const double tiles =
      whole_of(product.rows / tile.rows) * whole_of(product.columns / tile.columns) * product.count;
  const double waves = tiles / units_;
  const double whole = tile.seconds_per_depth * product.inner;
  const double unsplit =
      (rounded_share * whole_of(waves) + (1 - rounded_share) * std::max(1.0, waves)) * whole;
  if (waves > 0.5) return unsplit;
  const double parts =
      std::min(std::floor(1 / waves), std::max(1.0, product.inner / split_depth_min));
  return parts <= 1 ? unsplit : std::min(unsplit, whole / parts + tile.adding_s);
}

double MatrixRate::seconds(const Product& product) const {
  if (tile_count_ == 0) return systolic_seconds(device_, rate_, product);
  // Tiles are sorted by descending reuse: if one cannot win even without waste, no later one can.
  const double multiplied = product.rows * product.columns * product.inner * product.count;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t index = 0; index < tile_count_; ++index) {
    const Tile& tile = tiles_[index];
    if (multiplied * tile.seconds_least >= best) break;
    best = std::min(best, tile_seconds(tile, product));
  }
  return best;
}

namespace {

/// Bytes of one element in memory: activations, weights, result.
struct ElementBytes {
  double left, right, result;
};

/// Narrow types have wider results.
ElementBytes plain_elements(Precision precision) {
  const double bytes = bytes_each(precision);
  const bool integers = precision == Precision::int8 || precision == Precision::int4;
  return {bytes, bytes, integers ? 4 : std::max(2.0, bytes)};
}

// TPUs: a kernel does not hide all of its traffic, because the first blocks arrive before any
// arithmetic. TPU v7x, 1024 cubed: 6.1 us, where arithmetic takes 2 us and traffic 2 us
// (AI-Hypercomputer/tpu-recipes); so time = (matrix^1.5 + memory^1.5)^(2/3).
double overlapped(const DeviceSpec& device, double matrix_s, double memory_s) {
  if (device.device_class == DeviceClass::tpu) {
    const double root = std::cbrt(matrix_s * std::sqrt(matrix_s) + memory_s * std::sqrt(memory_s));
    return root * root;
  }
  return std::cbrt(matrix_s * matrix_s * matrix_s + memory_s * memory_s * memory_s);
}

}  // namespace

Kernel product_kernel(const DeviceSpec& device, Precision weights, const Product& product,
                      double clock_share) {
  Kernel kernel;
  const ElementBytes elements = plain_elements(weights);
  const double rate = compute_peak(device, weights) * matrix_efficiency(device, weights);
  kernel.flops = 2 * product.count * product.rows * product.columns * product.inner;
  kernel.bytes = product.count * (elements.left * product.rows * product.inner +
                                  elements.right * product.inner * product.columns +
                                  elements.result * product.rows * product.columns);
  kernel.matrix_seconds =
      MatrixRate(device, compute_precision(device, weights), rate).seconds(product) / clock_share;
  kernel.memory_seconds = kernel.bytes / operand_bandwidth(device);
  kernel.seconds = overlapped(device, kernel.matrix_seconds, kernel.memory_seconds);
  return kernel;
}

Kernel library_call(const DeviceSpec& device, Precision precision, const Product& product,
                    double clock_share) {
  Kernel kernel = product_kernel(device, precision, product, clock_share);
  if (precision == Precision::int8 && device.matrix.int8_call_efficiency > 0) {
    const double rate = compute_peak(device, precision) * device.matrix.int8_call_efficiency;
    kernel.matrix_seconds =
        MatrixRate(device, Precision::fp32, rate).seconds(product) / clock_share;
    kernel.seconds = overlapped(device, kernel.matrix_seconds, kernel.memory_seconds);
  }
  kernel.seconds += device.matrix.floor_s;
  return kernel;
}

}  // namespace drover::devices
