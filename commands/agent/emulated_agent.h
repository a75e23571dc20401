// `drover agent --devices`: an agent that emulates the devices of one host.
#pragma once

#include "commands/agent/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

/// Runs until a signal. The catalogue must outlive the call.
CommandOutcome run_emulated_agent(AgentOptions options, const devices::Catalogue& catalogue);

}  // namespace drover::commands
