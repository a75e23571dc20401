#include "commands/connection/fleet_time_bounds.h"

#include <fmt/format.h>

#include "commands/shell/clock.h"

namespace drover::commands {

namespace {

constexpr double lease_s = 10;  // wall time, if a router reports no lease

}  // namespace

bool is_fleet_time(Instant instant) {
  return instant >= fleet_time_first && instant < fleet_time_end;
}

bool is_speed(double speed) { return speed >= speed_min && speed <= speed_max; }

std::string instant_text(Instant instant) {
  if (instant == never) return "the largest representable time (year 2262)";
  if (instant == Instant::min()) return "the smallest representable time (year 1677)";
  return to_iso8601(instant);
}

Status check_join_accepted(const JoinAccepted& welcome) {
  if (!is_fleet_time(welcome.fleet_time)) {
    return error("fleet time: found {}, expected a time in the years {}",
                 instant_text(welcome.fleet_time), fleet_years);
  }
  if (!is_speed(welcome.speed)) {
    return error("speed: found {:g}, expected {:g} to {:g}", welcome.speed, speed_min, speed_max);
  }
  return {};
}

std::string to_text(const ClockJump& clock_jump) {
  return fmt::format("fleet time went from {} {} to {}", instant_text(clock_jump.from),
                     clock_jump.back() ? "back" : "forward", instant_text(clock_jump.to));
}

std::optional<ClockJump> clock_jump_between(Instant here, Instant there, Duration lease) {
  const double ahead_s = to_seconds(there.time_since_epoch()) - to_seconds(here.time_since_epoch());
  const double one_lease_s = to_seconds(lease);
  if (ahead_s <= clock_jump_leases_max * one_lease_s && ahead_s >= -one_lease_s) return {};
  return ClockJump{here, there};
}

std::optional<ClockJump> clock_jump_to(const JoinAccepted& welcome, Instant here) {
  const Duration lease =
      welcome.lease.count() > 0 ? welcome.lease : wall_span(lease_s, welcome.speed);
  return clock_jump_between(here, welcome.fleet_time, lease);
}

}  // namespace drover::commands
