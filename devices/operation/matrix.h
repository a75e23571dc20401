// How long one device takes for a matrix product: tiles, waves and splits on GPUs, padding on
// systolic arrays, operands streamed from memory meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "devices/catalogue/spec.h"
#include "devices/operation/layers.h"

namespace drover::devices {

/// One kernel at a clock share, without the fixed time that it costs to start and to drain.
struct Kernel {
  double seconds = 0;
  double matrix_seconds = 0;  // of the matrix units alone
  double memory_seconds = 0;  // of the traffic alone
  double flops = 0;           // useful ones
  double bytes = 0;           // from and to memory
};

/// `count` independent products at once (heads, experts), each of rows x inner by inner x columns.
struct Product {
  double rows = 0;
  double columns = 0;
  double inner = 0;
  double count = 1;
};

/// Bytes of one element in memory: of what streams through, of the weights, of the result.
struct ElementBytes {
  double left = 2;
  double right = 2;
  double result = 2;
};

/// The precision that the matrix units compute in for weights of `weights`: the same where native;
/// else the weights are widened on the way (int8 and fp8 to bf16, fp16 to bf16, tf32 to fp32, ..).
Precision compute_precision(const DeviceSpec& device, Precision weights);

/// Peak rate in that precision, flop/s. fp32 where it is not native takes six bf16 passes.
double compute_peak(const DeviceSpec& device, Precision weights);

/// Share of that peak that large products reach at the nominal clock.
double matrix_efficiency(const DeviceSpec& device, Precision weights);
/// The number of the catalogue that says so: "matrix.fp8_efficiency".
std::string_view matrix_fact(const DeviceSpec& device, Precision weights);

/// Bytes per second at which a product's operands stream from memory.
double operand_bandwidth(const DeviceSpec& device);

/// The element sizes of a plain product in a precision: narrow types give wider results.
ElementBytes plain_elements(Precision precision);

/// What products cost the matrix units of a device at an achievable rate in flop/s: what does not
/// depend on the product is computed once for many of them.
class MatrixRate {
 public:
  MatrixRate(const DeviceSpec& device, Precision computing, double rate);

  /// Seconds at the nominal clock; never fewer for more rows, columns, depth or count.
  double seconds(const Product& product) const;

 private:
  struct Tile {
    double rows = 0, columns = 0;
    double seconds_per_depth = 0;  // of a whole tile on one multiprocessor
    double seconds_least = 0;      // of one multiply and add on all of them
    double adding_s = 0;           // of the sums of a product that is split by depth
  };
  double tile_seconds(const Tile& tile, const Product& product) const;

  const DeviceSpec& device_;
  double rate_, units_;
  std::array<Tile, 8> tiles_{};
  std::size_t tile_count_ = 0;  // none on a systolic array
};

/// The same for one product.
double matrix_seconds(const DeviceSpec& device, Precision computing, double rate,
                      const Product& product);

/// The product with its traffic; the clock stretches the compute alone.
Kernel product_kernel(const DeviceSpec& device, Precision weights, const Product& product,
                      const ElementBytes& elements, double clock_share);

/// A plain library call in one precision, as measured alone: with its fixed time, and by the path
/// that libraries take where it is not the fastest (int8 on Turing: dot products of four).
Kernel library_call(const DeviceSpec& device, Precision precision, const Product& product,
                    double clock_share);

}  // namespace drover::devices
