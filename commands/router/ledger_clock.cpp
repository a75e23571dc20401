#include "commands/router/ledger_clock.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/shell/files.h"

namespace drover::commands {

std::optional<LedgerClock> parse_ledger_clock(const std::string& text) {
  std::istringstream words(text);
  std::int64_t fleet_ns = 0, system_ns = 0;
  double speed = 0;
  if (!(words >> fleet_ns >> system_ns >> speed) || !(speed > 0)) return std::nullopt;
  return LedgerClock{Instant(Duration(fleet_ns)), Instant(Duration(system_ns)), speed};
}

std::string to_text(const LedgerClock& clock) {
  return fmt::format("{} {} {}\n", clock.fleet.time_since_epoch().count(),
                     clock.system.time_since_epoch().count(), clock.speed);
}

Instant resume_fleet_time(const std::optional<LedgerClock>& clock, std::optional<Instant> last_row,
                          Instant system_now) {
  if (!last_row) return system_now;
  if (!clock) return std::max(*last_row, system_now);
  const double away_s = std::max(0.0, to_seconds(system_now - clock->system));
  return std::max(*last_row, saturating_add(clock->fleet, from_seconds(away_s * clock->speed)));
}

namespace {

Status check_clock_file(const std::string& path, const LedgerClock& clock,
                        std::optional<Instant> last_row, Instant system_now) {
  const auto fix = [&] {
    return fmt::format("remove the file to continue from the ledger's last row, at {}",
                       last_row ? instant_text(*last_row) : "the system's time");
  };
  if (!is_speed(clock.speed)) {
    return error(ErrorKind::io, "{}: the speed: found {:g}, expected {:g} to {:g}; {}", path,
                 clock.speed, speed_min, speed_max, fix());
  }
  if (!is_fleet_time(clock.fleet)) {
    return error(ErrorKind::io, "{}: fleet time: found {}, expected a time in the years {}; {}",
                 path, instant_text(clock.fleet), fleet_years, fix());
  }
  if (clock.system < fleet_time_first) {
    return error(ErrorKind::io, "{}: the system's time: found {}, expected a time after 1970; {}",
                 path, instant_text(clock.system), fix());
  }
  const Instant resumed = resume_fleet_time(clock, last_row, system_now);
  if (is_fleet_time(resumed)) return {};
  return error(
      ErrorKind::io,
      "{}: fleet time would now be {} (since {} at speed {:g}), expected a time in the years {}; "
      "{}",
      path, instant_text(resumed), instant_text(clock.system), clock.speed, fleet_years, fix());
}

}  // namespace

Status check_ledger_times(const std::string& ledger, const std::optional<LedgerClock>& clock,
                          std::optional<Instant> last_row, Instant system_now) {
  if (!is_fleet_time(system_now)) {
    return error(ErrorKind::io,
                 "this machine's clock: found {}, expected a time in the years {}; set the clock",
                 instant_text(system_now), fleet_years);
  }
  if (last_row && !is_fleet_time(*last_row)) {
    return error(
        ErrorKind::io,
        "{}: its newest row: found fleet time {}, expected a time in the years {}; start a new "
        "ledger with --ledger",
        ledger, instant_text(*last_row), fleet_years);
  }
  // Without a row the file is not used.
  if (!clock || !last_row) return {};
  return check_clock_file(ledger + ".clock", *clock, last_row, system_now);
}

Result<Instant> resume_ledger_clock(const std::string& ledger, std::optional<Instant> last_row,
                                    Instant system_now, double speed) {
  const std::string path = ledger + ".clock";
  const std::string fresh = path + ".new";
  std::optional<LedgerClock> clock;
  if (const auto text = read_file(path, 4096)) clock = parse_ledger_clock(*text);
  DROVER_TRY(check_ledger_times(ledger, clock, last_row, system_now));
  const Instant fleet = resume_fleet_time(clock, last_row, system_now);
  // Written to another file and renamed: a crash leaves the old file or the new one.
  {
    std::ofstream file(fresh, std::ios::trunc);
    file << to_text(LedgerClock{fleet, system_now, speed});
    if (!file.flush()) return error(ErrorKind::io, "{}: cannot be written", fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0)
    return error(ErrorKind::io, "{}: cannot be replaced", path);
  return fleet;
}

}  // namespace drover::commands
