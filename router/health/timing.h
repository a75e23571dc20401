// The intervals that the parts of a router share.
#pragma once

#include "fleet/base/time.h"

namespace drover::router {

/// All durations are fleet time: the shell multiplies wall-clock values by the speed at start.
struct RouterTiming {
  double speed = 1;
  Duration heartbeat_every = std::chrono::seconds(1);
  Duration suspect_after = std::chrono::seconds(3);       // without contact: no new work
  Duration lease = std::chrono::seconds(10);              // then the agent stops its work
  Duration lost_after = std::chrono::seconds(12);         // without contact: its work is requeued
  Duration forget_left_after = std::chrono::minutes(10);  // for hosts that left cleanly
  Duration summary_every = std::chrono::seconds(1);
};

}  // namespace drover::router
