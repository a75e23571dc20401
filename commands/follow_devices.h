// `drover devices --follow`: every report of every device as a line, as it comes.
#pragma once

#include "commands/clock.h"
#include "commands/outcome.h"
#include "commands/router_address.h"
#include "fleet/filter.h"

namespace drover::commands {

struct FollowOptions {
  bool json = false;
  Wall lasts = Wall::max();
  filter::Filter filter;
};

/// Ends in order on a signal, when the time is over, and when the reader of the output has left.
Outcome follow_devices(const RouterAddress& endpoint, FollowOptions options);

}  // namespace drover::commands
