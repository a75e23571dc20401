// The time of a matrix product on one device: tiles, waves and splits on GPUs, padding on systolic
// arrays, and operands streamed from memory at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "devices/catalogue/spec.h"

namespace drover::devices {

/// One kernel at a clock share, without the fixed time to start and to drain.
struct Kernel {
  double seconds = 0;
  double matrix_seconds = 0;  // of the matrix units alone
  double memory_seconds = 0;  // of the traffic alone
  double flops = 0;           // useful ones
  double bytes = 0;           // from and to memory
};

/// `count` independent products (heads, experts), each rows x inner by inner x columns.
struct Product {
  double rows = 0;
  double columns = 0;
  double inner = 0;
  double count = 1;
};

/// The precision in which the matrix units compute with weights of `weights`: the same if native;
/// else the weights are converted (int8 and fp8 to bf16, fp16 to bf16, tf32 to fp32, ..).
Precision compute_precision(const DeviceSpec& device, Precision weights);

/// Peak rate in that precision, flop/s. fp32 takes six bf16 passes if it is not native.
double compute_peak(const DeviceSpec& device, Precision weights);

/// Share of that peak that large products achieve at the nominal clock.
double matrix_efficiency(const DeviceSpec& device, Precision weights);
/// The catalogue key of that share: "matrix.fp8_efficiency".
std::string_view matrix_fact(const DeviceSpec& device, Precision weights);

/// Rate at which a product's operands are streamed from memory, bytes/s.
double operand_bandwidth(const DeviceSpec& device);

/// Computes the time of products on the matrix units of a device at an achievable rate in flop/s.
/// The constructor computes what does not depend on the product.
class MatrixRate {
 public:
  MatrixRate(const DeviceSpec& device, Precision computing, double rate);

  /// Seconds at the nominal clock. Monotonic in rows, columns, depth and count.
  double seconds(const Product& product) const;

 private:
  struct Tile {
    double rows = 0, columns = 0;
    double seconds_per_depth = 0;  // of a whole tile on one multiprocessor
    double seconds_least = 0;      // of one multiply-add on all of them
    double adding_s = 0;           // to add the partial sums of a product that is split by depth
  };
  double tile_seconds(const Tile& tile, const Product& product) const;

  const DeviceSpec& device_;
  double rate_, units_;
  std::array<Tile, 8> tiles_{};
  std::size_t tile_count_ = 0;  // none on a systolic array
};

/// The product with its memory traffic. Only the compute scales with the clock.
Kernel product_kernel(const DeviceSpec& device, Precision weights, const Product& product,
                      double clock_share);

/// A plain library call in one precision, as measured alone: with its fixed time, and on the path
/// that libraries take even if it is not the fastest (int8 on Turing: dot products of four).
Kernel library_call(const DeviceSpec& device, Precision precision, const Product& product,
                    double clock_share);

}  // namespace drover::devices
