// `drover resume`: lets work come again to what was drained.
#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage resume_usage() {
  return {"usage: drover resume TARGET [options]",
          "Lets new work come again to a target's devices, whatever had drained them. TARGET is\n"
          "HOST/N (a device), host:HOST, rack:RACK, pool:POOL or site (all of it).",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {"TARGET"},
          "  drover resume host:h100-1\n"
          "  drover drain site && drover resume host:h100-1\n"
          "      work for one host only"};
}

CommandOutcome run_resume(Arguments& arguments) {
  if (!arguments.has("TARGET")) {
    return CommandOutcome::usage(error("expected a TARGET; {}", resume_usage().synopsis));
  }
  const auto target = parse_target(arguments.text("TARGET"));
  if (!target) return CommandOutcome::usage(target.error());
  return act(arguments, "resume", [&](double) {
    return SetDrain{to_text(*target), false, Duration{0}};
  });
}

}  // namespace drover::commands
