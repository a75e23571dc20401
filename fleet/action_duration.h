// Durations of actions as users write them.
//
// "60s" is wall time, because a user who types it looks at a clock. "10m fleet" is fleet time,
// which messages carry and which may pass faster.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/fault.h"

namespace drover {

struct ActionDuration {
  Duration length{};
  bool fleet = false;  // `length` is fleet time, else wall time
  Duration in_fleet_time(double speed) const;
};

/// Parses "60s", "60s wall", "10m fleet". The error begins with `place`.
Result<ActionDuration> parse_action_duration(std::string_view text, std::string_view place);

/// A fault as users write it. The notice of a reclaim is such a duration too: "reclaim=30s",
/// "reclaim=5m fleet".
struct FaultRequest {
  Fault fault;
  bool fleet = false;  // the notice is fleet time
  Fault in_fleet_time(double speed) const;
};
Result<FaultRequest> parse_fault_request(std::string_view text);

/// "60s", or with a speed other than 1 "60s of fleet time, 6.0s here".
std::string duration_phrase(Duration fleet_time, double speed);

}  // namespace drover
