// `drover resume`: ends drains.
#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage resume_usage() {
  return {"usage: drover resume TARGET [options]",
          "Ends every drain of a target's devices: new work is placed there again. TARGET is "
          "HOST/N (a device), host:HOST, rack:RACK, pool:POOL or site (the whole fleet).",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {"TARGET"},
          "  drover resume host:h100-1\n"
          "  drover drain site && drover resume host:h100-1\n"
          "      only this host takes new work"};
}

CommandOutcome run_resume(Arguments& arguments) {
  if (!arguments.has("TARGET")) {
    return error("TARGET is required; {}", resume_usage().synopsis);
  }
  DROVER_ASSIGN(const auto target, parse_target(arguments.text("TARGET")));
  return run_action(arguments, "resume", [&](double) {
    return SetDrain{to_text(target), false, Duration{0}};
  });
}

}  // namespace drover::commands
