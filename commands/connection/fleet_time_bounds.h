// The valid range of fleet time, and the largest step of fleet time that a connected program
// tolerates.
#pragma once

#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Fleet time runs from 1970 until the year 2200. 64-bit nanoseconds since 1970 end in 2262; the
/// years between leave room for the durations that cores add to the current time.
inline constexpr Instant fleet_time_first{};
inline constexpr Instant fleet_time_end{std::chrono::seconds(7'258'118'400)};
inline constexpr const char* fleet_years = "1970 to 2199";

inline constexpr double speed_min = 0.01;
inline constexpr double speed_max = 10'000;

bool is_fleet_time(Instant instant);
bool is_speed(double speed);
/// A date, or a phrase for the two ends of the range of Instant.
std::string instant_text(Instant instant);

/// Checks the time and the speed that a router reports.
Status check_join_accepted(const JoinAccepted& welcome);

/// A step of fleet time: the router that answers now has a different time than the previous one.
struct ClockJump {
  Instant from{};
  Instant to{};
  bool back() const { return to < from; }
};
/// "fleet time went from .. to ..".
std::string to_text(const ClockJump& clock_jump);

/// No value if the difference is tolerated: forward up to `clock_jump_leases_max` leases, back up
/// to one lease, during which the clock stands still because it never goes back. A lease is ten
/// seconds of wall time. A host whose clock stood still for longer would be taken for lost.
inline constexpr int clock_jump_leases_max = 6;
std::optional<ClockJump> clock_jump_between(Instant here, Instant there, Duration lease);
/// The same for the answer to a Join.
std::optional<ClockJump> clock_jump_to(const JoinAccepted& welcome, Instant here);

}  // namespace drover::commands
