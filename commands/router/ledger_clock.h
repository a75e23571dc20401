// Continues fleet time across restarts of a router. It never goes back.
//
// The file LEDGER.clock beside the ledger has one line: the fleet time and the system time (ns
// since the Unix epoch) at the last start, and the speed since then. A restarted router continues
// where fleet time would be by now, so that jobs have aged while it was down. Without the file
// (lost, or an older ledger) it continues from the last row.
#pragma once

#include <optional>
#include <string>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct LedgerClock {
  Instant fleet{};
  Instant system{};  // the system's clock at the same moment
  double speed = 1;
};

/// Parses the file's text; no value unless it has three valid numbers.
std::optional<LedgerClock> parse_ledger_clock(const std::string& text);
std::string to_text(const LedgerClock& clock);

/// The current fleet time of a router that starts. `last_row`: the ledger's newest, if any. A new
/// ledger begins at the system's time.
Instant resume_fleet_time(const std::optional<LedgerClock>& clock, std::optional<Instant> last_row,
                          Instant system_now);

/// Checks that a router can start with these times, before anything is written. The error says what
/// was found, what was expected and what to do. `ledger` is its path. The range of fleet time is in
/// commands/connection/fleet_time_bounds.h.
Status check_ledger_times(const std::string& ledger, const std::optional<LedgerClock>& clock,
                          std::optional<Instant> last_row, Instant system_now);

/// Reads LEDGER.clock, returns the current fleet time and rewrites the file with the new speed.
Result<Instant> resume_ledger_clock(const std::string& ledger, std::optional<Instant> last_row,
                                    Instant system_now, double speed);

}  // namespace drover::commands
