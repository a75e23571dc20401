// Adds up what one training step spends its time on.
#pragma once

#include <numeric>

#include "devices/operation/step.h"

namespace drover::devices {

struct TrainingSum {
  std::array<double, part_count> parts{};  // seconds
  double flops = 0;                        // executed, recomputation included
  double memory_bytes = 0;
  double link_bytes = 0;

  double& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
  double seconds() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
  /// Repeats all so far.
  TrainingSum& operator*=(double count) {
    for (double& part : parts) part *= count;
    flops *= count;
    memory_bytes *= count;
    link_bytes *= count;
    return *this;
  }
};

}  // namespace drover::devices
