#include "commands/ledger_clock.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "commands/files.h"

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

Result<Instant> resume_ledger_clock(const std::string& ledger, std::optional<Instant> last_row,
                                    Instant system_now, double speed) {
  const std::string path = ledger + ".clock";
  const std::string fresh = path + ".new";
  std::optional<LedgerClock> clock;
  if (const auto text = read_file(path, 4096)) clock = parse_ledger_clock(*text);
  const Instant fleet = resume_fleet_time(clock, last_row, system_now);
  // Written beside and renamed: a crash leaves the old file or the new one, never half of one.
  {
    std::ofstream file(fresh, std::ios::trunc);
    file << to_text(LedgerClock{fleet, system_now, speed});
    if (!file.flush()) return error("{}: cannot be written", fresh);
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return error("{}: cannot be replaced", path);
  return fleet;
}

}  // namespace drover::commands
