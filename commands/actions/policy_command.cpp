// `drover policy`: checks a policy file; shows or changes the router's policy.
#include <algorithm>

#include "commands/connection/action_request.h"
#include "commands/connection/session.h"
#include "commands/shell/files.h"
#include "commands/shell/json_null.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "router/lint/outcomes.h"
#include "router/lint/policy_file.h"

namespace drover::commands {
namespace {

Json to_json(const router::Finding& finding) {
  return Json::object()
      .set("error", finding.error)
      .set("location", finding.place)
      .set("text", finding.text);
}

/// Errors fail the check, as a router would reject the file. Warnings do not.
CommandOutcome check_file(const Arguments& arguments, const std::string& file) {
  DROVER_ASSIGN(const auto text, read_file(file, policy_bytes_max));
  const std::vector<router::Finding> findings = router::findings(text, file);
  const auto errors = std::count_if(findings.begin(), findings.end(),
                                    [](const router::Finding& finding) { return finding.error; });
  if (arguments.has("json")) {
    Json list = Json::array();
    for (const router::Finding& finding : findings) list.add(to_json(finding));
    write_stdout("{}\n", Json::object().set("findings", std::move(list)).dump());
  } else {
    for (const router::Finding& finding : router::grouped(findings)) {
      write_stdout("{}: {}: {}\n", printable(finding.place), finding.error ? "error" : "warning",
                   printable(finding.text));
    }
  }
  if (errors > 0)
    return CommandOutcome::bad_result(counted(static_cast<std::uint64_t>(errors), "error"));
  if (!arguments.has("table")) return CommandOutcome::done();
  DROVER_ASSIGN(const auto policy, router::parse_policy(text, file));
  write_stdout_text(router::outcome_table(policy));
  return CommandOutcome::done();
}

Json to_json(const PolicyReply& reply) {
  return Json::object()
      .set("name", reply.name)
      .set("location", text_or_null(reply.place))
      .set("version", reply.version)
      .set("hash", reply.hash)
      .set("since", to_iso8601(reply.since))
      .set("applied_by", text_or_null(reply.by))
      .set("text", reply.text);
}

/// `printable`, but keeps line feeds and the tabs that TOML allows.
std::string printable_lines(std::string_view text) {
  std::string shown;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const bool kept = at < text.size() && (text[at] == '\n' || text[at] == '\t');
    if (at < text.size() && !kept) continue;
    shown += printable(text.substr(begin, at - begin));
    if (kept) shown += text[at];
    begin = at + 1;
  }
  return shown;
}

/// Only the policy's text goes to standard output, so that it can be edited and applied.
CommandOutcome show_policy(const Arguments& arguments) {
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "policy"}));
  DROVER_ASSIGN(const auto reply, session->ask<PolicyReply>(PolicyRequest{}));
  if (arguments.has("json")) {
    write_stdout("{}\n", to_json(reply).dump());
    return CommandOutcome::done();
  }
  write_stderr("{} version {}, hash {}, from {}, in force since {}{}{}\n", printable(reply.name),
               reply.version, printable(reply.hash),
               reply.place.empty() ? "the program" : printable(reply.place),
               to_iso8601(reply.since), reply.by.empty() ? "" : ", applied by ",
               printable(reply.by));
  write_stdout_text(printable_lines(reply.text));
  return CommandOutcome::done();
}

CommandOutcome apply_file(const Arguments& arguments, const std::string& file) {
  DROVER_ASSIGN(auto text, read_file(file, policy_bytes_max));
  if (!is_utf8(text)) return error("{}: is not UTF-8", printable(file));
  return run_action(arguments, "policy", [&](double) { return ApplyPolicy{text, file}; });
}

}  // namespace

CommandUsage policy_usage() {
  return {"usage: drover policy check FILE | show | apply FILE",
          "check: reads a policy without a router and prints errors (exit 1) and warnings, each "
          "with its line. With --table it also prints what happens to each kind of job for each "
          "fallback reason.\n"
          "show: prints the policy in force; its version and hash go to standard error.\n"
          "apply: makes FILE (at most 256 KiB) the policy in force. Its [policy] version must be "
          "higher than the one in force, so that a version always means the same text. If FILE has "
          "an error, the old policy stays in force. Running work continues, and power caps set by "
          "users stay. The ledger keeps an applied policy: it is in force again when the router "
          "restarts, unless --policy names a file with a higher version. On SIGHUP, a router that "
          "was started with --policy reloads that file in the same way.",
          {connect_option(),
           {"table", "", "check: print what each rule does for each fallback reason"},
           {"json", "", "one JSON object on stdout"}},
          {"ACTION", "FILE"},
          "  drover policy check my.toml --table\n"
          "  drover policy show > my.toml\n"
          "  drover policy apply my.toml"};
}

CommandOutcome run_policy(Arguments& arguments) {
  const std::string action = arguments.text("ACTION");
  const std::string file = arguments.text("FILE");
  if (action.empty()) return error("{}", policy_usage().synopsis);
  if (const std::vector<std::string> known = {"check", "show", "apply"}; !contains(known, action)) {
    return error("unknown action '{}'{}", excerpt(action), suggestion(action, known));
  }
  if ((action == "show") != file.empty()) {
    return action == "show" ? error("unexpected argument '{}'", excerpt(file))
                            : error("{}: FILE is required", action);
  }
  if (action != "check" && arguments.has("table")) {
    return error("--table works only with check");
  }
  if (action == "check") return check_file(arguments, file);
  return action == "show" ? show_policy(arguments) : apply_file(arguments, file);
}

}  // namespace drover::commands
