// What a device can show: a value beyond is no reading of any device, and is taken as not reported
// by everybody who decodes a column, so that router, dashboards and recordings agree.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "fleet/sample/sample.h"
#include "fleet/sample/sample_integers.h"

namespace drover {

/// In the metric's unit.
struct MetricBounds {
  double least = 0;
  double most = 0;
};
const MetricBounds& bounds(Metric metric);

/// What a column's integers may be, in steps of its scale; of a metric that is not known here
/// anything. REQUIRES a scale within its limit.
MetricBounds steps_within(const Column& column);

/// The same as integers. The smallest one means absent, and is in no range.
template <typename Integer>
IntegerRange<Integer> range_of(const Column& column) {
  using Limits = std::numeric_limits<Integer>;
  // 2^(bits - 1): of eight bytes the largest integer is no double.
  constexpr double beyond = -static_cast<double>(Limits::min());
  const MetricBounds steps = steps_within(column);
  const double least = std::ceil(steps.least);
  const double most = std::floor(steps.most);
  return {least > -beyond ? static_cast<Integer>(least) : static_cast<Integer>(Limits::min() + 1),
          most < beyond ? static_cast<Integer>(most) : Limits::max()};
}

/// A value that no device can show.
struct Absurdity {
  Metric metric = Metric::utilization;
  std::uint16_t device = 0;
  double value = 0;
};
/// The first one of a batch, by its columns. REQUIRES check() passed.
std::optional<Absurdity> find_absurdity(const SampleBatch& batch);

}  // namespace drover
