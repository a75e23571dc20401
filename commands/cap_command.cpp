// `drover cap`: holds the power of the site or of a pool under so many watts.
#include "commands/acting.h"
#include "commands/session.h"
#include "commands/verbs.h"
#include "fleet/units.h"

namespace drover::commands {

Usage cap_usage() {
  return {
      "usage: drover cap TARGET WATTS [options]",
      "Holds the power of the site or of a pool under so many watts: work that would break the\n"
      "cap waits or falls back (power_cap); what runs already goes on. TARGET is site or\n"
      "pool:POOL. WATTS is like 20kW or 800W; \"none\" gives the policy's own limit back. The "
      "cap\n"
      "is kept in the router's ledger: it outlives a restart.",
      {connect_option(),
       {"for", "DURATION", "how long, in fleet time (default: until it is set anew)"},
       {"json", "", "one JSON object on stdout"}},
      {"TARGET", "WATTS"},
      "  drover cap site 20kW --for 10m\n"
      "  drover cap pool:h100 4.5kW\n"
      "  drover cap site none"};
}

Outcome run_cap(Arguments& arguments) {
  if (!arguments.has("TARGET") || !arguments.has("WATTS")) {
    return Outcome::usage(error("expected a TARGET and WATTS; {}", cap_usage().synopsis));
  }
  SetPowerCap cap;
  cap.target = arguments.text("TARGET");
  if (arguments.text("WATTS") != "none") {
    const auto watts = parse_watts(arguments.text("WATTS"), "WATTS");
    if (!watts) return Outcome::usage(watts.error());
    if (*watts <= 0) {
      return Outcome::usage(error("WATTS: found {}, expected more than 0, or none", *watts));
    }
    cap.watts = *watts;
  }
  cap.lasts = arguments.duration("for", Duration{0});
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  return act(arguments, "cap", std::move(cap));
}

}  // namespace drover::commands
