// `drover alerts`: lists the raised alerts, or the alert rules.
#include "commands/query/fleet_client.h"
#include "commands/query/repeated_output.h"
#include "commands/query/table_output.h"
#include "commands/query/table_verb.h"
#include "commands/subcommands.h"

namespace drover::commands {
CommandUsage alerts_usage() {
  return {"usage: drover alerts [options]",
          "Lists the raised alerts: severity, rule, subject, how long they have been raised (fleet "
          "time) and who has acknowledged them. With --rules it lists the alert rules in force, "
          "which a policy can change and extend (docs/policies.md).",
          {connect_option(),
           {"json", "", "a JSON array on stdout"},
           {"csv", "", "CSV on stdout, with a line of names"},
           {"rules", "", "list the alert rules"},
           watch_option(),
           colour_option()},
          {},
          "  drover alerts\n"
          "  drover alerts --json | jq '.[] | select(.acknowledged_by == null)'\n"
          "  drover alerts --rules"};
}

CommandOutcome run_alerts(Arguments& arguments) {
  const bool rules = arguments.has("rules");
  const TableFormat format = read_table_format(arguments);
  const TableStyle style = read_table_style(arguments);
  const auto every = read_watch(arguments);
  DROVER_TRY(arguments.status());
  RepeatedOutput output(every);
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "alerts"}));
  return output.print(*session, [&]() -> Result<std::string> {
    FleetClient fleet(*session);
    DROVER_TRY(fleet.read_snapshot());
    if (format == TableFormat::text) {
      return rules ? rules_text(fleet.model(), style)
                   : alerts_text(fleet.model(), fleet.now(), style);
    }
    const tui::TableQuery query{fleet.model(), fleet.now(), {}, {}, {}};
    const tui::TableRows table = tui::table_rows(query, rules ? "rules" : "alerts");
    return format == TableFormat::json ? to_json(table).dump() + "\n" : to_csv(table);
  });
}

}  // namespace drover::commands
