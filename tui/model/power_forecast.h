// When power reaches a cap if it goes on as in the last minutes. A robust slope: bursts and single
// peaks do not change it, and where there is no clear trend there is no forecast.
#pragma once

#include <optional>
#include <span>

#include "fleet/base/time.h"

namespace drover::tui {

struct PowerPoint {
  Instant at{};
  double power_w = 0;  // NaN: unknown
};

/// The time until `cap_w` is reached, from the last point on. None without a clear rise, if the cap
/// is reached already, or if it is too far away: more than twice the time of the points.
std::optional<Duration> time_until_cap(std::span<const PowerPoint> points, double cap_w);

}  // namespace drover::tui
