// `drover pools`: a table of the policy's pools.
#include "commands/query/table_verb.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage pools_usage() {
  return {"usage: drover pools [options]",
          "Prints one row per pool of the policy: its devices (without those of lost hosts), those "
          "that get no work and why (one may count for several reasons), the jobs that wait for "
          "it, its power now and its cap. IN USE: the price of the devices that "
          "work. LIST PRICE: of all of its devices. The row without a name is for devices of no "
          "pool. With --filter, the sums are of the devices that match (docs/filters.md), and what "
          "only the router knows of a whole pool is N/A. --json and --csv have more columns "
          "(docs/json.md).",
          table_verb_options(),
          {},
          "  drover pools\n"
          "  drover pools --watch=5s\n"
          "  drover pools --csv > pools.csv"};
}

CommandOutcome run_pools(Arguments& arguments) {
  return print_table(arguments, {"pools", "pools", shown_pool_columns()});
}

}  // namespace drover::commands
