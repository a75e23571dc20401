// What the verbs that act on a fleet have in common: one request, one answer in a sentence, exit 1
// when nothing was done.
#pragma once

#include <functional>
#include <string>

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "fleet/action_span.h"
#include "fleet/messages.h"

namespace drover::commands {

/// How spans of actions are written, for `--help`.
inline constexpr const char* action_span_help =
    "Spans are of the clock on your wall; \"10m fleet\" is of fleet time, which a router with\n"
    "--speed lets pass faster. The answer says both.";

/// The option's span, or this one.
ActionSpan span_of(Arguments& arguments, const std::string& option, ActionSpan otherwise);

/// What is asked for, once the router has said how fast fleet time passes.
using ActionAt = std::function<Message(double speed)>;

/// Sends the action once, in the name of the user (of the verb `name` where he has none), and waits
/// for the router's ActionReply or CancelReply.
Result<Message> answer_to(const Arguments& arguments, const std::string& name,
                          const ActionAt& action);

/// The same, and says what was done and what follows.
CommandOutcome act(const Arguments& arguments, const std::string& name, const ActionAt& action);

/// `confirmed` is sent when the router wants to be asked twice, and whoever types says yes or has
/// given --yes.
CommandOutcome act_with_care(const Arguments& arguments, const std::string& name,
                             const ActionAt& action, const ActionAt& confirmed);

}  // namespace drover::commands
