// Fleet time across the lives of a router: it goes on from life to life, and never back.
//
// Beside the ledger stands a small file, LEDGER.clock, with one line: fleet time and system time
// (ns since the Unix epoch) at which they were set, and the speed since then. A router that starts
// again goes on where fleet time would be by now, so that jobs have aged while it was away. Without
// the file (lost, or an older ledger) it goes on from the last row.
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

/// What the file's text says; nothing when it does not hold three sensible numbers.
std::optional<LedgerClock> parse_ledger_clock(const std::string& text);
std::string to_text(const LedgerClock& clock);

/// Fleet time now, for a router that starts. `last_row`: the ledger's newest, if any. A ledger that
/// is new begins at the system's time.
Instant resume_fleet_time(const std::optional<LedgerClock>& clock, std::optional<Instant> last_row,
                          Instant system_now);

/// Why a router cannot begin with these: what was found, what was expected, what to do. `ledger` is
/// its path. A time that is too near the end of what 64 bits of nanoseconds hold is refused, before
/// anything is written (commands/connection/fleet_time_bounds.h).
Status check_ledger_times(const std::string& ledger, const std::optional<LedgerClock>& clock,
                          std::optional<Instant> last_row, Instant system_now);

/// Reads LEDGER.clock, answers fleet time now and writes the file anew with the speed from now on.
Result<Instant> resume_ledger_clock(const std::string& ledger, std::optional<Instant> last_row,
                                    Instant system_now, double speed);

}  // namespace drover::commands
