// `drover hosts`: a table of the hosts.
#include "commands/query/table_verb.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage hosts_usage() {
  return {"usage: drover hosts [options]",
          "Prints one row per host, those that are not ok first, then by rack and name: its rack, "
          "state and devices, their "
          "mean utilization, power and highest temperature, the age of its last sample (fleet "
          "time), how many messages the router has missed, and why the host is not ok. --json and "
          "--csv have more columns (docs/json.md). With --filter, prints only hosts that have a "
          "device that matches (docs/filters.md).",
          table_verb_options(),
          {},
          "  drover hosts\n"
          "  drover hosts --filter 'temp>80'\n"
          "  drover hosts --watch\n"
          "  drover hosts --json | jq -r '.[] | select(.state != \"ok\") | .host'"};
}

CommandOutcome run_hosts(Arguments& arguments) {
  return print_table(arguments, {"hosts", "hosts", shown_host_columns()});
}

}  // namespace drover::commands
