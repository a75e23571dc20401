// The names of a running fleet, for completions: soon or not at all.
#pragma once

#include "commands/completion/candidates.h"
#include "commands/connection/router_address.h"

namespace drover::commands {

/// Waits less than a second. Nothing if no router answers; the user is typing, so it says nothing.
FleetNames names_of_fleet(const RouterAddress& address);

}  // namespace drover::commands
