// A dashboard's question about the past as a query of a Prometheus server, and its answer as
// values.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/time.h"
#include "tui/history/server_history.h"

namespace drover::commands {

/// The same moment in fleet time and by the system's clock, by which servers date their values.
struct ClockPair {
  Instant fleet{};
  Instant system{};
  double speed = 1;  // of fleet time

  /// Seconds since 1970 by the system's clock.
  double system_s(Instant at) const {
    return to_seconds(system.time_since_epoch()) + to_seconds(at - fleet) / speed;
  }
};

struct HistoryQuery {
  std::string query;
  std::string range;  // "start=1763692681.000&end=1763696281.000&step=60.000"
};

/// The query for the metrics of a device as /metrics pages name them.
HistoryQuery history_query(const tui::HistoryQuestion& question, const ClockPair& clocks);

/// The answer with its values in the dashboard's units; what is not plausible is not known.
tui::HistoryAnswer read_history_answer(std::string_view json, const tui::HistoryQuestion& question,
                                       const ClockPair& clocks);

}  // namespace drover::commands
