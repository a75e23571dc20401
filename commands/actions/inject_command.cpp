// `drover inject`: injects faults into emulated devices and hosts.
#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"
#include "fleet/target.h"

namespace drover::commands {

CommandUsage inject_usage() {
  return {
      "usage: drover inject TARGET FAULT [options]",
      "Injects a fault into devices or hosts of a running fleet. TARGET is HOST/N (a device), "
      "host:HOST, rack:RACK, pool:POOL or site. FAULT is one of:\n"
      "  throttle=SHARE   the clock is limited to SHARE of its nominal frequency\n"
      "  hang             the device looks busy and makes no progress\n"
      "  xid=N            an Xid error (GPUs)\n"
      "  ecc              uncorrectable memory errors\n"
      "  lose             the device is lost; with a host or rack, the hosts are lost\n"
      "  slow-link=SHARE  the fast interconnect carries SHARE of its bandwidth\n"
      "  inlet=+10C       the inlet air is 10 C warmer (hosts)\n"
      "  fan=SHARE        the fans move SHARE of the usual air (hosts)\n"
      "  reclaim=30s      a reclaim notice of 30 s (spot hosts; default 120s); after\n"
      "                   the notice the host is down for the DURATION of --for\n"
      "The router writes the fault to its ledger before it applies it. The reply names the targets "
      "and the consequences. The notice of reclaim has the same form as DURATION.\n" +
          std::string(action_span_help),
      {connect_option(),
       {"for", "DURATION", "how long the fault lasts (default 60s; at most 7d of fleet time)"},
       {"any", "N", "only N of the target's devices (or hosts, groups), chosen at random"},
       {"seed", "N", "seed of --any: the same seed, the same choice (default 1)"},
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
    return error("TARGET and FAULT are required; {}", inject_usage().synopsis);
  }
  DROVER_ASSIGN(const auto target, parse_target(arguments.text("TARGET")));
  DROVER_ASSIGN(const auto fault, parse_fault_request(arguments.text("FAULT")));
  InjectFault inject;
  inject.target = to_text(target);
  const auto duration =
      arguments.parsed("for", parse_action_duration, ActionDuration{std::chrono::seconds(60)});
  inject.any = static_cast<std::uint32_t>(arguments.integer("any", 1, UINT32_MAX, 0));
  inject.seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  DROVER_TRY(arguments.status());
  return run_action(arguments, "inject", [&](double speed) {
    inject.fault = fault.in_fleet_time(speed);
    inject.fault.duration = duration.in_fleet_time(speed);
    return inject;
  });
}

}  // namespace drover::commands
