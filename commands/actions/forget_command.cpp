// `drover forget`: removes a host that will not return.
#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage forget_usage() {
  return {"usage: drover forget host:HOST [options]",
          "Removes a host that is lost or has left and will not return: it disappears from tables, "
          "totals and alerts. Refused for a connected host. Drains of its name and its ledger "
          "records are kept. If it joins again, it is treated like any other host. A host that "
          "left cleanly is removed automatically after ten minutes.",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {"TARGET"},
          "  drover forget host:h100-1"};
}

CommandOutcome run_forget(Arguments& arguments) {
  const auto target = parse_target(arguments.text("TARGET"));
  if (!target || target->kind != TargetKind::host) {
    return error("host:HOST is required; {}", forget_usage().synopsis);
  }
  DROVER_TRY(arguments.status());
  return run_action(arguments, "forget", [&](double) { return ForgetHost{target->name}; });
}

}  // namespace drover::commands
