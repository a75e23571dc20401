// Fleet time anchored on this machine's monotonic clock: the one place where time is read.
#pragma once

#include <chrono>
#include <string>

#include "fleet/base/time.h"

namespace drover::commands {

/// Nanoseconds of CLOCK_MONOTONIC: for time limits of shells.
using Wall = std::chrono::nanoseconds;
Wall wall_now();

/// At `wall` it is `fleet`, and from then on fleet time runs `speed` times as fast.
struct FleetAnchor {
  Instant fleet{};
  Wall wall{0};
  double speed = 1;

  Instant at(Wall moment) const;
  /// Wall time from `moment` until the deadline: 0 when it is past, at most `longest`; rounded up
  /// to whole milliseconds, so that the deadline is reached when the wait ends.
  std::chrono::milliseconds until(Instant deadline, Wall moment,
                                  std::chrono::milliseconds longest) const;
};

/// Fleet time now; never goes back, whatever is anchored anew.
class Clock {
 public:
  Clock(Instant fleet, double speed);

  Instant now();
  std::chrono::milliseconds until(Instant deadline, std::chrono::milliseconds longest) const;
  /// The router has said what time it is, again.
  void anchor_again(Instant fleet, double speed);
  double speed() const { return anchor_.speed; }

 private:
  FleetAnchor anchor_;
  Instant latest_{};
};

/// Wall seconds as a span of fleet time: heartbeats, leases and time limits are given so.
Duration wall_span(double wall_seconds, double speed);

/// The system's clock, ns since the Unix epoch: only to begin a new ledger's fleet time, and to say
/// where fleet time is another.
Instant system_now();
/// Whether this fleet time, as just told, is not the hour of the day.
bool is_apart(Instant fleet, double speed);
/// "fleet time 14:02:10, 10 times as fast as here: spans below are of fleet time"; empty where it
/// is the hour of the day and passes as ours does.
std::string fleet_time_note(Instant fleet, double speed);

}  // namespace drover::commands
