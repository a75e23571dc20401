// The keys of a demo that listens beyond this machine.
#pragma once

#include "commands/demo/fleet.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Makes and allows those that are missing in the folder: of the router, of each agent, and
/// `demo_key`. Does nothing for a demo without keys.
Status make_demo_keys(const DemoOptions& options);

}  // namespace drover::commands
