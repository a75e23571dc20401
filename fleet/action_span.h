// How long an action is to last, or how much time it leaves, as people write it.
//
// Whoever types "60s" looks at the clock on the wall, so that is what it means; messages carry
// fleet time, which may pass faster. "10m fleet" says that fleet time is meant.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/fault.h"

namespace drover {

struct ActionSpan {
  Duration length{};
  bool fleet = false;  // of fleet time; else as it passes for those who act
  Duration in_fleet_time(double speed) const;
};

/// "60s", "60s wall", "10m fleet".
Result<ActionSpan> parse_action_span(std::string_view text, std::string_view place);

/// A fault as people write it. The notice of a reclaim is a span as well: "reclaim=30s",
/// "reclaim=5m fleet".
struct SpokenFault {
  Fault fault;
  bool fleet = false;  // the notice is of fleet time
  Fault in_fleet_time(double speed) const;
};
Result<SpokenFault> parse_spoken_fault(std::string_view text);

/// "60s"; where fleet time does not pass as ours does: "60s of fleet time, 6.0s here".
std::string span_words(Duration fleet_time, double speed);

}  // namespace drover
