// The time of one training step by component.
#pragma once

#include <numeric>

#include "devices/operation/step.h"

namespace drover::devices {

struct TrainingStepBreakdown {
  std::array<double, part_count> parts{};  // seconds
  double flops = 0;                        // executed, recomputation included
  double memory_bytes = 0;
  double link_bytes = 0;

  double& operator[](TimeComponent part) { return parts[static_cast<std::size_t>(part)]; }
  double operator[](TimeComponent part) const { return parts[static_cast<std::size_t>(part)]; }
  double seconds() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
  /// Multiplies everything.
  TrainingStepBreakdown& operator*=(double count) {
    for (double& part : parts) part *= count;
    flops *= count;
    memory_bytes *= count;
    link_bytes *= count;
    return *this;
  }
};

}  // namespace drover::devices
