// `drover acknowledge`: somebody has seen alerts and cares for them.
#include "commands/connection/acting.h"
#include "commands/connection/session.h"
#include "commands/verbs.h"

namespace drover::commands {

CommandUsage acknowledge_usage() {
  return {"usage: drover acknowledge RULE [SUBJECT] [options], or --all",
          "Says to everybody who watches that you have seen alerts and care for them, until they\n"
          "clear. RULE and SUBJECT are as `drover alerts` prints them; without SUBJECT all of the\n"
          "rule, with --all whatever is raised. Those that somebody else cares for stay his. Exit\n"
          "1 when nothing is raised. It is kept as long as the router runs.",
          {connect_option(),
           {"all", "", "all that is raised"},
           {"json", "", "one JSON object on stdout"}},
          {"RULE", "SUBJECT"},
          "  drover acknowledge hot h100-1/3\n"
          "  drover acknowledge host_lost\n"
          "  drover acknowledge --all"};
}

CommandOutcome run_acknowledge(Arguments& arguments) {
  if (arguments.has("all") == arguments.has("RULE")) {
    return CommandOutcome::usage(
        error("expected a RULE, or --all; {}", acknowledge_usage().synopsis));
  }
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  return act(arguments, "acknowledge", [&](double) {
    return AcknowledgeAlert{arguments.text("RULE"), arguments.text("SUBJECT")};
  });
}

}  // namespace drover::commands
