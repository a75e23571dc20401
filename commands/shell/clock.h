// Fleet time, anchored on this machine's monotonic clock. The program reads the time only here.
#pragma once

#include <chrono>
#include <string>

#include "fleet/base/time.h"

namespace drover::commands {

/// CLOCK_MONOTONIC, for timeouts. All processes of a machine share it.
using WallTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using WallSpan = std::chrono::nanoseconds;
WallTime wall_now();

/// At wall time `wall` the fleet time is `fleet`; from then on it passes `speed` times as fast.
struct FleetAnchor {
  Instant fleet{};
  WallTime wall{};
  double speed = 1;

  Instant at(WallTime moment) const;
  /// Wall time from `moment` until the deadline: 0 if it has passed, at most `longest`. Rounded up
  /// to whole milliseconds, so that the deadline has passed when the wait ends.
  std::chrono::milliseconds until(Instant deadline, WallTime moment,
                                  std::chrono::milliseconds longest) const;
};

/// The current fleet time. It never goes back, even when it is reanchored.
class Clock {
 public:
  Clock(Instant fleet, double speed);

  Instant now();
  std::chrono::milliseconds until(Instant deadline, std::chrono::milliseconds longest) const;
  /// Sets the clock to the time that the router has reported.
  void reanchor(Instant fleet, double speed);
  double speed() const { return anchor_.speed; }

 private:
  FleetAnchor anchor_;
  Instant latest_{};
};

/// Wall seconds as a duration of fleet time, for heartbeats, leases and timeouts.
Duration wall_span(double wall_seconds, double speed);

/// The system's clock, ns since the Unix epoch. Used only to begin the fleet time of a new ledger,
/// and to report that fleet time differs from it.
Instant system_now();
/// Whether fleet time, as just reported, differs from the system's clock.
bool differs_from_system_clock(Instant fleet, double speed);
/// "fleet time 14:02:10, 10 times as fast as wall time: durations below are in fleet time"; empty
/// if fleet time is the system's time.
std::string fleet_time_note(Instant fleet, double speed);

}  // namespace drover::commands
