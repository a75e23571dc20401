// `drover hosts`: a table of the hosts.
#include "commands/query/table_verb.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage hosts_usage() {
  return {
      "usage: drover hosts [options]",
      "Prints one row per host, in the order of their names: its rack, state and devices, their "
      "mean utilization, power and highest temperature, the age of its last sample (fleet "
      "time), and how many samples did not arrive. ROUTER LOSS: messages that the router has "
      "missed. SKIPPED: samples that the agent left out to save bandwidth. UNDECODED: messages "
      "that the router could not read. KEY: the key of its agent. REASON: why it is not ok. "
      "With --filter, prints only hosts that have a device that matches (docs/filters.md).",
      table_verb_options(),
      {},
      "  drover hosts\n"
      "  drover hosts --filter 'temp>80'\n"
      "  drover hosts --watch\n"
      "  drover hosts --json | jq -r '.[] | select(.state != \"ok\") | .host'"};
}

CommandOutcome run_hosts(Arguments& arguments) {
  return print_table(arguments, {"hosts", "hosts", host_columns()});
}

}  // namespace drover::commands
