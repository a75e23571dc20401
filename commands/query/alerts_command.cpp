// `drover alerts`: lists the raised alerts, or the alert rules.
#include "commands/connection/session.h"
#include "commands/query/alert_rows.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"

namespace drover::commands {
namespace {

constexpr WallSpan alerts_timeout = std::chrono::seconds(5);

Result<AlertsView> ask(Session& session) {
  const WallTime end = wall_now() + alerts_timeout;
  WallTime ask_again{};
  AlertsView known;
  while (wall_now() < end) {
    if (wall_now() >= ask_again) {
      session.send(SnapshotRequest{});
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (const auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      const auto* part = std::get_if<SnapshotPart>(&envelope.body);
      if (part != nullptr && known.add(*part)) return known;
    }
  }
  return error("the router sent no complete snapshot within 5 s");
}

}  // namespace

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
  if (const Status fine = arguments.status(); !fine) return CommandOutcome::usage(fine.error());
  auto session = Session::open({endpoint_of(arguments), Role::client, "alerts"});
  if (!session) return CommandOutcome::failed(session.error());
  const auto known = ask(**session);
  if (!known) return CommandOutcome::failed(known.error());
  const bool json = arguments.has("json");
  if (arguments.has("rules")) {
    write_stdout_text(json ? to_json(known->rules).dump() + "\n" : to_table(known->rules));
  } else {
    write_stdout_text(json ? to_json(known->alerts).dump() + "\n"
                           : to_table(known->alerts, (*session)->clock().now()));
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
