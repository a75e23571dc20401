// Bounds of plausible values. A value beyond them counts as not reported wherever a column is
// decoded, so that router, dashboards and recordings agree.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "fleet/base/result.h"
#include "fleet/sample/sample.h"

namespace drover {

// The integers of a column on the wire: little-endian two's complement, unaligned.

// The scale of a received column is limited so that every value is a finite double.
inline constexpr int scale_limit = 18;

inline double power_of_ten(int exponent) {
  static constexpr std::array<double, scale_limit + 1> powers{
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
      1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  DROVER_REQUIRE(exponent >= 0 && exponent <= scale_limit);
  return powers[static_cast<std::size_t>(exponent)];
}

// To and from little-endian.
template <typename Integer>
Integer little_endian(Integer value) {
  if constexpr (std::endian::native == std::endian::little) {
    return value;
  } else if constexpr (sizeof(Integer) == 2) {
    return static_cast<Integer>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  } else if constexpr (sizeof(Integer) == 4) {
    return static_cast<Integer>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  } else {
    return static_cast<Integer>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  }
}

template <typename Integer>
Integer integer_at(const char* bytes, std::size_t index) {
  Integer integer;
  std::memcpy(&integer, bytes + index * sizeof(Integer), sizeof(Integer));
  return little_endian(integer);
}

/// From `least` to `most`, both included.
template <typename Integer>
struct IntegerRange {
  Integer least = 0;
  Integer most = 0;
  bool holds(Integer integer) const { return integer >= least && integer <= most; }
};

template <typename Integer>
bool all_within(IntegerRange<Integer> range, const char* bytes, std::size_t count) {
  Integer beyond = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const auto integer = integer_at<Integer>(bytes, index);
    beyond |=
        static_cast<Integer>(integer < range.least) | static_cast<Integer>(integer > range.most);
  }
  return beyond == 0;
}

/// Bounds in the metric's unit.
struct MetricBounds {
  double least = 0;
  double most = 0;
};

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
