// Bounds of plausible values. A value beyond them counts as not reported wherever a column is
// decoded, so that router, dashboards and recordings agree.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "fleet/sample/sample.h"
#include "fleet/sample/sample_integers.h"

namespace drover {

/// Bounds in the metric's unit.
struct MetricBounds {
  double least = 0;
  double most = 0;
};
const MetricBounds& bounds(Metric metric);

/// The bounds of a column's integers, in units of its scale; unlimited for an unknown metric.
/// REQUIRES a scale within its limit.
MetricBounds steps_within(const Column& column);

/// The same as integers. No range includes the smallest integer, which means absent.
template <typename Integer>
IntegerRange<Integer> range_of(const Column& column) {
  using Limits = std::numeric_limits<Integer>;
  // 2^(bits - 1), because the largest 64-bit integer is not representable as a double.
  constexpr double beyond = -static_cast<double>(Limits::min());
  const MetricBounds steps = steps_within(column);
  const double least = std::ceil(steps.least);
  const double most = std::floor(steps.most);
  return {least > -beyond ? static_cast<Integer>(least) : static_cast<Integer>(Limits::min() + 1),
          most < beyond ? static_cast<Integer>(most) : Limits::max()};
}

/// A value beyond the bounds of its metric.
struct ImplausibleValue {
  Metric metric = Metric::utilization;
  std::uint16_t device = 0;
  double value = 0;
};
/// The first implausible value of a batch, in the order of its columns. REQUIRES check() passed.
std::optional<ImplausibleValue> find_implausible_value(const SampleBatch& batch);

}  // namespace drover
