// Fleet time: the one clock for physics, arrivals, durations and prices.
//
// `Instant` belongs to a clock without `now()`, so a core that tries to read the time does not
// compile. Time is always passed as an argument. Only the shells in commands/ anchor fleet time on
// a real clock; in the simulator the event queue is the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/base/result.h"

namespace drover {

struct FleetClock {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<FleetClock>;
  static constexpr bool is_steady = false;
};

/// Nanoseconds since the Unix epoch, in fleet time.
using Instant = FleetClock::time_point;
using Duration = std::chrono::nanoseconds;

/// Later than every event: stands for "no deadline".
inline constexpr Instant never = Instant::max();

constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Rounds to the nearest nanosecond and saturates at the ends of the range. NaN becomes zero.
Duration from_seconds(double seconds);

/// `instant + duration`, limited to `never` instead of wrapping.
Instant saturating_add(Instant instant, Duration duration);

/// "2026-11-21T02:38:01.123Z".
std::string to_iso8601(Instant instant);

/// Hours, minutes, seconds since midnight UTC: "02:38:01".
std::string to_clock_text(Instant instant);

/// Parses "2023-11-16 18:17:03.9799600": seconds with up to nine fractional digits, years 1970 to
/// 2199. Accepts the zones `Z` and `+HH:MM`; without a zone it is UTC.
Result<Instant> parse_timestamp(std::string_view text);

}  // namespace drover
