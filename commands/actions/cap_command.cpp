// `drover cap`: holds the power of the site or of a pool under so many watts.
#include <fmt/format.h>

#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"
#include "fleet/base/units.h"

namespace drover::commands {

CommandUsage cap_usage() {
  return {
      "usage: drover cap TARGET WATTS [options]",
      fmt::format(
          "Holds the power of the site or of a pool under so many watts. Devices' own power caps\n"
          "are lowered at once, as far as their kinds allow, and given back when the cap is over;\n"
          "new work that would break the cap waits or falls back (power_cap). The answer says "
          "what\n"
          "will be reached and when; where that is above the cap, the alert power_cap_unmet says\n"
          "why. TARGET is site or pool:POOL. WATTS is like 20kW or 800W; \"none\" gives the "
          "policy's\n"
          "own limit back. A cap below what the devices draw idle is asked about first. The cap "
          "is\n"
          "kept in the router's ledger: it outlives a restart.\n{}",
          action_span_help),
      {connect_option(),
       {"for", "DURATION", "how long (default: until it is set anew)"},
       {"admission-only", "", "hold back new work, and slow nothing down"},
       {"yes", "", "do not ask, whatever the devices draw idle"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET", "WATTS"},
      "  drover cap site 20kW --for 10m\n"
      "  drover cap pool:h100 4.5kW --admission-only\n"
      "  drover cap site none"};
}

CommandOutcome run_cap(Arguments& arguments) {
  if (!arguments.has("TARGET") || !arguments.has("WATTS")) {
    return CommandOutcome::usage(error("expected a TARGET and WATTS; {}", cap_usage().synopsis));
  }
  SetPowerCap cap;
  cap.target = arguments.text("TARGET");
  if (arguments.text("WATTS") != "none") {
    const auto watts = parse_power(arguments.text("WATTS"), "WATTS");
    if (!watts) return CommandOutcome::usage(watts.error());
    if (*watts <= 0) {
      return CommandOutcome::usage(error("WATTS: found {}, expected more than 0, or none", *watts));
    }
    cap.watts = *watts;
  }
  cap.admission_only = arguments.has("admission-only");
  const ActionSpan lasts = span_of(arguments, "for", {});
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  const auto asked = [&](double speed, bool confirmed) {
    SetPowerCap request = cap;
    request.lasts = lasts.in_fleet_time(speed);
    request.confirmed = confirmed;
    return request;
  };
  return act_with_care(
      arguments, "cap", [&](double speed) { return asked(speed, false); },
      [&](double speed) { return asked(speed, true); });
}

}  // namespace drover::commands
