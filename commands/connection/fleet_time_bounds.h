// Which fleet times make sense, and which step of fleet time is more than a program that is
// connected to a router lives through.
#pragma once

#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Fleet time runs from 1970 until the year 2200. Nanoseconds since 1970 end in 2262, and there
/// every deadline would be due for ever: the years between are for what cores add to the time that
/// it is.
inline constexpr Instant fleet_time_first{};
inline constexpr Instant fleet_time_end{std::chrono::seconds(7'258'118'400)};
inline constexpr const char* fleet_years = "1970 to 2199";

inline constexpr double speed_min = 0.01;
inline constexpr double speed_max = 10'000;

bool is_fleet_time(Instant instant);
bool is_speed(double speed);
/// As a date; what has left the range says so.
std::string instant_text(Instant instant);

/// Whether the time and the speed that a router tells can be lived by.
Status check_welcome(const Welcome& welcome);

/// A step of fleet time: the router that is here now lives at another time than the one before.
struct TimeLeap {
  Instant from{};
  Instant to{};
  bool back() const { return to < from; }
};
/// "fleet time went from .. to ..".
std::string to_text(const TimeLeap& leap);

/// Nothing where the difference is lived through: forward up to `leases_lived_through`, back up to
/// one lease, for which a clock that never goes back stands still. A lease is ten seconds of the
/// wall. Beyond it a host that stood still would be taken for lost.
inline constexpr int leases_lived_through = 6;
std::optional<TimeLeap> leap_between(Instant here, Instant there, Duration lease);
/// The same for the answer to a Join.
std::optional<TimeLeap> leap_to(const Welcome& welcome, Instant here);

}  // namespace drover::commands
