// What the back ends that read files have in common: a reading is filled value by value, and each
// value that is not there leaves its reason.
#pragma once

#include <span>
#include <string>

#include "agents/watch/reading.h"
#include "fleet/base/result.h"

namespace drover::agents {

/// Sets the value. Without one, the reason is kept, unless the metric has a value or a reason.
void put(BoardReading& reading, Metric metric, const Result<double>& value);

struct ConstantReason {
  Metric metric;
  const char* why;
};

/// Adds these reasons as `put` does, and brings all into the order of Metric.
void finish(BoardReading& reading, std::span<const ConstantReason> reasons);

/// Differences of a counter over time.
class CounterRate {
 public:
  /// The counter's increase per second since the call before. An error without an increase to
  /// tell: at the first call, and after the counter was reset.
  Result<double> update(double counter, double now_s);

 private:
  double counter_ = 0;
  double at_s_ = -1;
};

}  // namespace drover::agents
