// `drover acknowledge`: marks alerts as seen by this user.
#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage acknowledge_usage() {
  return {"usage: drover acknowledge RULE [SUBJECT] [options], or --all",
          "Marks alerts as acknowledged by you until they clear; every viewer sees it. RULE and "
          "SUBJECT are as `drover alerts` prints them. Without SUBJECT, all alerts of the rule are "
          "acknowledged; with --all, all raised alerts. Alerts that somebody else has acknowledged "
          "keep that acknowledgement. Exit 1 when no alert matches. The router forgets "
          "acknowledgements when it restarts.",
          {connect_option(),
           {"all", "", "acknowledge all raised alerts"},
           {"json", "", "one JSON object on stdout"}},
          {"RULE", "SUBJECT"},
          "  drover acknowledge hot h100-1/3\n"
          "  drover acknowledge host_lost\n"
          "  drover acknowledge --all"};
}

CommandOutcome run_acknowledge(Arguments& arguments) {
  if (arguments.has("all") == arguments.has("RULE")) {
    return error("RULE or --all is required; {}", acknowledge_usage().synopsis);
  }
  DROVER_TRY(arguments.status());
  return run_action(arguments, "acknowledge", [&](double) {
    return AcknowledgeAlert{arguments.text("RULE"), arguments.text("SUBJECT")};
  });
}

}  // namespace drover::commands
