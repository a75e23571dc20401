// What the verbs that act on a fleet have in common: one request, one answer, exit 1 when nothing
// was done.
#pragma once

#include <string>

#include "commands/options.h"
#include "commands/outcome.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Sends the action once and waits for the router's ActionReply or CancelReply.
Result<Message> answer_to(const Arguments& arguments, const std::string& name, Message action);

/// The same, and says what was reached.
Outcome act(const Arguments& arguments, const std::string& name, Message action);

}  // namespace drover::commands
