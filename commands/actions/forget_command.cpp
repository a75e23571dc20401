// `drover forget`: lets go a host that will not return.
#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage forget_usage() {
  return {
      "usage: drover forget host:HOST [options]",
      "Lets go a host that is lost or has left and will not return: no table, sum or alert\n"
      "names it any more. Refused for a host that is there. What was said about its name stays\n"
      "(drains, the ledger), and should it join again, it is a host like any other. One that\n"
      "left in order is let go by itself after ten minutes.",
      {connect_option(), {"json", "", "one JSON object on stdout"}},
      {"TARGET"},
      "  drover forget host:h100-1"};
}

CommandOutcome run_forget(Arguments& arguments) {
  const auto target = parse_target(arguments.text("TARGET"));
  if (!target || target->kind != TargetKind::host) {
    return CommandOutcome::usage(error("expected host:HOST; {}", forget_usage().synopsis));
  }
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  return act(arguments, "forget", [&](double) { return ForgetHost{target->name}; });
}

}  // namespace drover::commands
