// The time is the larger of the traffic at the achieved memory bandwidth and, for operations that
// compute (row reductions, exponentials), the bytes at a rate per clock and multiprocessor:
//   seconds = max(bytes / (bandwidth efficiency), bytes / (multiprocessors clock rate))
// Fitted to microsoft/vidur's timings of vLLM's kernels at 1024 to 4096 rows: residual addition
// reaches 0.83 (A40), 0.88 (A100) and 0.96 (H100) of the bandwidth; RMS norm moves 4.5 bytes per
// nominal clock and multiprocessor on A100 and H100 alike, SiLU-and-multiply 6.8 and 8.1.
#include "devices/operation/elementwise.h"

#include <algorithm>
#include <array>

namespace drover::devices {
namespace {

struct Operation {
  double passes;           // over the elements, read and written
  double fused_passes;     // left after XLA's fusion (assumed)
  double bytes_per_clock;  // of one multiprocessor; 0: bounded by memory only
};
constexpr std::array<Operation, 5> operations{{
    {3, 0, 0},    // add
    {3, 0, 7.4},  // activation
    {2, 1, 4.4},  // normalise
    {2, 2, 4.4},  // softmax
    {2, 2, 0},    // copy
}};

}  // namespace

Kernel elementwise_kernel(const DeviceSpec& device, Elementwise operation, double rows,
                          double columns, double element_bytes, double clock_share) {
  const Operation& about = operations[static_cast<std::size_t>(operation)];
  const bool fused = device.device_class == DeviceClass::tpu;
  Kernel kernel;
  kernel.bytes = (fused ? about.fused_passes : about.passes) * rows * columns * element_bytes;
  kernel.memory_seconds = kernel.bytes / (device.memory_bandwidth * device.memory_efficiency);
  kernel.seconds = kernel.memory_seconds;
  if (about.bytes_per_clock > 0 && !fused) {
    const double clocks_per_s = device.clock_mhz * 1e6 * clock_share * device.matrix_units;
    kernel.seconds =
        std::max(kernel.seconds, kernel.bytes / (about.bytes_per_clock * clocks_per_s));
  }
  return kernel;
}

}  // namespace drover::devices
