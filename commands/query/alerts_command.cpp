// `drover alerts`: lists the raised alerts, or the alert rules.
#include "commands/query/fleet_client.h"
#include "commands/query/table_output.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"

namespace drover::commands {
CommandUsage alerts_usage() {
  return {"usage: drover alerts [options]",
          "Lists the raised alerts: severity, rule, subject, how long they have been raised (fleet "
          "time) and who has acknowledged them. With --rules it lists the alert rules in force, "
          "which a policy can change and extend (docs/policies.md).",
          {connect_option(),
           {"json", "", "a JSON array on stdout"},
           {"rules", "", "list the alert rules"}},
          {},
          "  drover alerts\n"
          "  drover alerts --json | jq '.[] | select(.acknowledged_by == null)'\n"
          "  drover alerts --rules"};
}

CommandOutcome run_alerts(Arguments& arguments) {
  DROVER_TRY(arguments.status());
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "alerts"}));
  FleetClient fleet(*session);
  DROVER_TRY(fleet.read_snapshot());
  const bool rules = arguments.has("rules");
  if (arguments.has("json")) {
    const tui::TableQuery query{fleet.model(), fleet.now(), {}, {}, {}};
    write_stdout("{}\n", to_json(tui::table_rows(query, rules ? "rules" : "alerts")).dump());
  } else {
    write_stdout_text(rules ? rules_text(fleet.model()) : alerts_text(fleet.model(), fleet.now()));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
