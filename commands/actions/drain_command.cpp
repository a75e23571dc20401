// `drover drain`: keeps new work away from devices.
#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage drain_usage() {
  return {
      "usage: drover drain TARGET [options]",
      "Keeps new work away from a target's devices; what runs there ends by itself. TARGET is\n"
      "HOST/N (a device), host:HOST, rack:RACK, pool:POOL or site (all of it). Loaded models\n"
      "stay, and take no new requests. With --deadline, what still runs then is called off\n"
      "and goes on elsewhere from its last checkpoint; that does not count as one of its\n"
      "attempts. A drain is kept in the router's ledger: it outlives restarts of the router and\n"
      "of the host, until `drover resume`. What was said last of a device counts.\n" +
          std::string(action_span_help),
      {connect_option(),
       {"deadline", "DURATION", "then what still runs there goes elsewhere (default: never)"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET"},
      "  drover drain h100-1/3\n"
      "      a device that is to be replaced\n"
      "  drover drain host:h100-1 --deadline 10m\n"
      "  drover drain pool:v5e"};
}

CommandOutcome run_drain(Arguments& arguments) {
  if (!arguments.has("TARGET")) {
    return CommandOutcome::usage(error("expected a TARGET; {}", drain_usage().synopsis));
  }
  const auto target = parse_target(arguments.text("TARGET"));
  if (!target) return CommandOutcome::usage(target.error());
  const ActionSpan deadline = span_of(arguments, "deadline", {});
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  return act(arguments, "drain", [&](double speed) {
    return SetDrain{to_text(*target), true, deadline.in_fleet_time(speed)};
  });
}

}  // namespace drover::commands
