// `drover drain`: places no new work on devices.
#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage drain_usage() {
  return {
      "usage: drover drain TARGET [options]",
      "Places no new work on a target's devices; running work finishes. TARGET is HOST/N (a "
      "device), host:HOST, rack:RACK, pool:POOL or site (the whole fleet). Loaded models stay "
      "loaded and take no new requests. With --deadline, work that still runs at the deadline is "
      "stopped and restarts on other devices from its last checkpoint; this does not count as one "
      "of its "
      "attempts. A drain is kept in the router's ledger: it survives restarts of the router and of "
      "the host, until `drover resume`. For each device the latest drain or resume counts.\n" +
          std::string(action_span_help),
      {connect_option(),
       {"deadline", "DURATION", "after this, move running work elsewhere (default: never)"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET"},
      "  drover drain h100-1/3\n"
      "      before the device is replaced\n"
      "  drover drain host:h100-1 --deadline 10m\n"
      "  drover drain pool:v5e"};
}

CommandOutcome run_drain(Arguments& arguments) {
  if (!arguments.has("TARGET")) {
    return error("TARGET is required; {}", drain_usage().synopsis);
  }
  DROVER_ASSIGN(const auto target, parse_target(arguments.text("TARGET")));
  const auto deadline = arguments.parsed("deadline", parse_action_duration, ActionDuration{});
  DROVER_TRY(arguments.status());
  return run_action(arguments, "drain", [&](double speed) {
    return SetDrain{to_text(target), true, deadline.in_fleet_time(speed)};
  });
}

}  // namespace drover::commands
