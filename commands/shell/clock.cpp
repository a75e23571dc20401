#include "commands/shell/clock.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace drover::commands {

WallTime wall_now() {
  // steady_clock is CLOCK_MONOTONIC: it stops while a laptop sleeps, and so does the emulated
  // fleet.
  return std::chrono::steady_clock::now();
}

Instant FleetAnchor::at(WallTime moment) const {
  return saturating_add(fleet, from_seconds(to_seconds(moment - wall) * speed));
}

std::chrono::milliseconds FleetAnchor::until(Instant deadline, WallTime moment,
                                             std::chrono::milliseconds longest) const {
  const Instant now = at(moment);
  if (deadline <= now) return std::chrono::milliseconds(0);
  // Doubles, because `never` minus now does not fit 64 bits of nanoseconds if now is before 1970.
  const double fleet_ns = static_cast<double>(deadline.time_since_epoch().count()) -
                          static_cast<double>(now.time_since_epoch().count());
  const double wall_ms = std::ceil(fleet_ns / speed / 1e6);
  if (wall_ms >= static_cast<double>(longest.count())) return longest;
  return std::chrono::milliseconds(static_cast<std::int64_t>(wall_ms));
}

Clock::Clock(Instant fleet, double speed) : anchor_{fleet, wall_now(), speed}, latest_(fleet) {}

Instant Clock::now() {
  latest_ = std::max(latest_, anchor_.at(wall_now()));
  return latest_;
}

std::chrono::milliseconds Clock::until(Instant deadline, std::chrono::milliseconds longest) const {
  return anchor_.until(deadline, wall_now(), longest);
}

void Clock::reanchor(Instant fleet, double speed) {
  anchor_ = FleetAnchor{fleet, wall_now(), speed};
}

Duration wall_span(double wall_seconds, double speed) { return from_seconds(wall_seconds * speed); }

bool differs_from_system_clock(Instant fleet, double speed) {
  constexpr double apart_s = 5;
  return speed != 1 || std::abs(to_seconds(fleet - system_now())) > apart_s;
}

std::string fleet_time_note(Instant fleet, double speed) {
  if (!differs_from_system_clock(fleet, speed)) return "";
  const std::string clock = to_clock_text(fleet);
  if (speed == 1) return fmt::format("fleet time {}: differs from this machine's clock\n", clock);
  return fmt::format(
      "fleet time {}, {:g} times as fast as wall time: durations below are in fleet time\n", clock,
      speed);
}

Instant system_now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace drover::commands
