// `drover status`: prints totals of the fleet and its jobs.
#include "commands/connection/session.h"
#include "commands/query/reports.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage status_usage() {
  return {"usage: drover status [options]",
          "Prints totals from the router's ledger: jobs, tokens, fallbacks by reason, energy, "
          "cost, latency.",
          {connect_option(), {"json", "", "one JSON object on stdout"}},
          {},
          "  drover status\n"
          "  drover status --connect tcp://127.0.0.1:9000 --json"};
}

CommandOutcome run_status(Arguments& arguments) {
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "status"}));
  DROVER_ASSIGN(const auto summary, session->ask<Summary>(SummaryRequest{}));
  const double speed = session->welcome().speed;
  write_stdout_text(arguments.has("json")
                        ? to_json(summary).dump() + "\n"
                        : fleet_time_note(session->clock().now(), speed) + to_table(summary));
  return CommandOutcome::done();
}

}  // namespace drover::commands
