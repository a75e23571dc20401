// Sums the parts of a step on one device, each with its own roofline.
#pragma once

#include "devices/operation/matrix.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// The rates that one device of a placement achieves.
struct Rates {
  Rates(const Placement& placement, double clock_share);

  const DeviceSpec& device;
  int devices;
  double clock_share;
  Precision precision;  // of the weights
  double peak;          // datasheet flop/s in the computing precision
  double memory;        // bytes/s
  double link;          // bytes/s, one direction
};

class StepAccumulator {
 public:
  explicit StepAccumulator(const Rates& rates) : rates_(rates) {}

  /// Adds a kernel with known time, flops and bytes.
  void add_kernel(TimeComponent part, double seconds, double flops, double bytes);
  /// Adds memory-bound work: element-wise operations, optimiser, copies.
  void add_memory(double bytes);
  /// Adds time in which no unit of the device is active.
  void add_seconds(double seconds) { add(TimeComponent::host, seconds); }
  /// Adds a collective of which only `exposed_seconds` are not hidden behind other work.
  void add_link(double bytes, double exposed_seconds);
  /// Multiplies everything added so far.
  void times(double count);

  double seconds() const;
  Step step() const;

 private:
  void add(TimeComponent part, double seconds) {
    parts_[static_cast<std::size_t>(part)] += seconds;
  }

  const Rates& rates_;
  std::array<double, part_count> parts_{};
  double flops_ = 0;
  double memory_bytes_ = 0;
  double link_bytes_ = 0;
};

/// Seconds of one all-reduce of `bytes` over the devices.
double all_reduce_seconds(const Rates& rates, double bytes);
/// Bytes that each device sends for it.
double all_reduce_bytes(const Rates& rates, double bytes);

}  // namespace drover::devices
