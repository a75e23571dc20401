// `drover cap`: limits the power of the site or of a pool.
#include <fmt/format.h>

#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"
#include "fleet/base/units.h"

namespace drover::commands {

CommandUsage cap_usage() {
  return {
      "usage: drover cap TARGET WATTS [options]",
      fmt::format(
          "Limits the power of the site or of a pool. The power limits of the devices are "
          "lowered at once, as far as each kind of device allows, and restored when the cap "
          "ends. New work that would exceed the cap waits or falls back (reason power_cap). The "
          "reply says which power will be reached, and when; if that is above the cap, the "
          "alert power_cap_unmet says why. TARGET is site or pool:POOL. WATTS is, for example, "
          "20kW or 800W; \"none\" removes the cap, and the policy's own limit applies. A cap "
          "below the idle power of the devices needs confirmation. The cap is kept in the "
          "router's ledger and survives a restart.\n"
          "{}",
          action_span_help),
      {connect_option(),
       {"for", "DURATION", "how long the cap lasts (default: until it is changed)"},
       {"admission-only", "", "only hold back new work; do not lower the devices' limits"},
       {"yes", "", "do not ask for confirmation"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET", "WATTS"},
      "  drover cap site 20kW --for 10m\n"
      "  drover cap pool:h100 4.5kW --admission-only\n"
      "  drover cap site none"};
}

CommandOutcome run_cap(Arguments& arguments) {
  if (!arguments.has("TARGET") || !arguments.has("WATTS")) {
    return error("TARGET and WATTS are required; {}", cap_usage().synopsis);
  }
  SetPowerCap cap;
  cap.target = arguments.text("TARGET");
  if (arguments.text("WATTS") != "none") {
    DROVER_ASSIGN(const auto watts, parse_power(arguments.text("WATTS"), "WATTS"));
    if (watts <= 0) {
      return error("WATTS: found {}, expected more than 0, or \"none\"", watts);
    }
    cap.watts = watts;
  }
  cap.admission_only = arguments.has("admission-only");
  const auto duration = arguments.parsed("for", parse_action_duration, ActionDuration{});
  DROVER_TRY(arguments.status());
  return run_confirmed_action(arguments, "cap", [&](double speed, bool confirmed) {
    cap.duration = duration.in_fleet_time(speed);
    cap.confirmed = confirmed;
    return cap;
  });
}

}  // namespace drover::commands
