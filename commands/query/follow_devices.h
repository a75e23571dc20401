// `drover devices --follow`: every report of every device as a line, as it comes.
#pragma once

#include "commands/connection/router_address.h"
#include "commands/shell/clock.h"
#include "commands/shell/outcome.h"
#include "fleet/filter/filter.h"

namespace drover::commands {

struct FollowOptions {
  bool json = false;
  Wall lasts = Wall::max();
  filter::Filter filter;
};

/// Ends in order on a signal, when the time is over, and when the reader of the output has left.
CommandOutcome follow_devices(const RouterAddress& endpoint, FollowOptions options);

}  // namespace drover::commands
