// `drover devices --follow`: prints every report of every device as it arrives.
#pragma once

#include "commands/connection/router_address.h"
#include "commands/shell/clock.h"
#include "commands/shell/outcome.h"
#include "fleet/filter/filter.h"

namespace drover::commands {

struct FollowOptions {
  bool json = false;
  Wall duration = Wall::max();
  filter::Filter filter;
};

/// Ends on a signal, after `duration`, and when the output is closed.
CommandOutcome follow_devices(const RouterAddress& endpoint, FollowOptions options);

}  // namespace drover::commands
