// What the verbs that act on a fleet have in common: one request, one answer, exit 1 when nothing
// was done.
#pragma once

#include "commands/options.h"
#include "commands/outcome.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Sends the action once, waits for the router's answer, and says what was reached.
Outcome act(const Arguments& arguments, const std::string& name, Message action);

}  // namespace drover::commands
