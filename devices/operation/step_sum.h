// Adds up the parts of a step on one device, each by its own roofline.
#pragma once

#include "devices/operation/layers.h"
#include "devices/operation/matrix.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// Rates that one device of a placement reaches.
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

class StepSum {
 public:
  explicit StepSum(const Rates& rates) : rates_(rates) {}

  /// A kernel whose time is known, with what it did.
  void add_kernel(Part part, double seconds, double flops, double bytes);
  /// Element-wise work, optimiser, copies: memory alone.
  void add_memory(double bytes);
  /// Time in which no part of the device is counted as busy beyond being on.
  void add_seconds(double seconds) { add(Part::host, seconds); }
  /// Collective of which only `exposed_seconds` are not hidden behind other work.
  void add_link(double bytes, double exposed_seconds);
  /// Repeats all so far.
  void times(double count);

  double seconds() const;
  Step step() const;

 private:
  void add(Part part, double seconds) { parts_[static_cast<std::size_t>(part)] += seconds; }

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
