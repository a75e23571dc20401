// `drover inject`: makes emulated devices faulty for a while.
#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage inject_usage() {
  return {
      "usage: drover inject TARGET FAULT [options]",
      "Makes devices of a running fleet faulty, for practice. TARGET is HOST/N (a device),\n"
      "host:HOST, rack:RACK, pool:POOL or site. FAULT is throttle=SHARE (of the clock), hang,\n"
      "xid=N (GPUs), ecc, lose (of a host or rack: the hosts themselves), slow-link=SHARE,\n"
      "inlet=+10C, fan=SHARE (of the air; hosts) or reclaim=30s (a notice; spot hosts, that are\n"
      "away for the time of --for after it; default 120s; a span like that of --for). What was "
      "reached and what follows is\n"
      "printed; nothing is done before it is in the router's ledger.\n" +
          std::string(action_span_help),
      {connect_option(),
       {"for", "DURATION", "how long (default 60s; at most 7d of fleet time)"},
       {"any", "N", "only N of the target's devices (or hosts, groups), drawn from the seed"},
       {"seed", "N", "of that draw: the same seed draws the same ones (default 1)"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET", "FAULT"},
      "  drover inject h100-1/3 xid=79\n"
      "  drover inject rack:rack-a inlet=+12C --for 5m\n"
      "  drover inject pool:v5e lose --any 1 --seed 7 --for 2m\n"
      "  drover inject host:a100-1 lose --for 30s\n"
      "  drover inject site reclaim=30s --any 1 --for 10m"};
}

CommandOutcome run_inject(Arguments& arguments) {
  if (!arguments.has("TARGET") || !arguments.has("FAULT")) {
    return CommandOutcome::usage(
        error("expected a TARGET and a FAULT; {}", inject_usage().synopsis));
  }
  const auto target = parse_target(arguments.text("TARGET"));
  if (!target) return CommandOutcome::usage(target.error());
  const auto fault = parse_spoken_fault(arguments.text("FAULT"));
  if (!fault) return CommandOutcome::usage(fault.error());
  Inject inject;
  inject.target = to_text(*target);
  const ActionSpan lasts = span_of(arguments, "for", {std::chrono::seconds(60)});
  inject.any = static_cast<std::uint32_t>(arguments.integer("any", 1, UINT32_MAX, 0));
  inject.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  return act(arguments, "inject", [&](double speed) {
    inject.fault = fault->in_fleet_time(speed);
    inject.fault.lasts = lasts.in_fleet_time(speed);
    return inject;
  });
}

}  // namespace drover::commands
