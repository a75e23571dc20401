// Shared by the commands that act on a fleet: send one request, print the reply, exit 1 if nothing
// was done.
#pragma once

#include <functional>
#include <string>

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "fleet/action_duration.h"
#include "fleet/messages.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// The part of `--help` that explains how durations of actions are written.
inline constexpr const char* action_span_help =
    "Durations are wall-clock time; \"10m fleet\" is fleet time, which passes faster on a router "
    "with --speed. The reply shows both.";

/// Builds the request once the router has reported how fast fleet time passes.
using ActionForSpeed = std::function<Message(double speed)>;

/// Sends the action once, under the user's login name (else the command's name, `name`) and this
/// host's, and waits for the router's ActionReply or CancelReply.
Result<Message> send_action(const Arguments& arguments, const std::string& name,
                            const ActionForSpeed& action);

/// `error` in JSON: why a router refused a request; null if it did not.
Json problem_json(const std::string& problem);

/// Does the same and prints the reply: what was done and what follows.
CommandOutcome run_action(const Arguments& arguments, const std::string& name,
                          const ActionForSpeed& action);

/// Like `run_action`. If the router asks for confirmation, sends the confirmed request once the
/// user has answered yes; with --yes it sends that at once.
CommandOutcome run_confirmed_action(
    const Arguments& arguments, const std::string& name,
    const std::function<Message(double speed, bool confirmed)>& action);

}  // namespace drover::commands
