// Fleet time: the one clock that physics, arrivals, durations and prices run in.
//
// `Instant` belongs to a clock without `now()`: a core that tries to read the time does not
// compile. Time always comes in as an argument. Only the shells in commands/ anchor fleet time on a
// real clock; the simulator's event queue is the clock there.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

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

/// Later than every event: the deadline of something that waits for nothing.
inline constexpr Instant never = Instant::max();

constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Rounds to the nearest nanosecond; saturates at the ends of the range; NaN becomes zero.
Duration from_seconds(double seconds);

/// `instant + duration` that stops at `never` instead of wrapping.
Instant saturating_add(Instant instant, Duration duration);

/// "2026-11-21T02:38:01.123Z".
std::string to_iso8601(Instant instant);

/// Hours, minutes, seconds since midnight UTC: "02:38:01".
std::string to_clock_text(Instant instant);

}  // namespace drover
