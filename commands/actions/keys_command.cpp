// `drover keys`: makes and lists keys, and decides who may connect.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "commands/connection/keys.h"
#include "commands/shell/output.h"
#include "commands/shell/table.h"
#include "commands/subcommands.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {

namespace fs = std::filesystem;

namespace {

CommandOutcome make(Arguments& arguments, const std::string& folder, const std::string& name) {
  // The name "router" implies the role.
  const std::string role_text = arguments.text("role", name == "router" ? "router" : "");
  if (role_text.empty()) {
    return error("--role is required: agent, submit, view, admin or router");
  }
  DROVER_ASSIGN(const auto role, parse_key_role(role_text, "--role"));
  std::vector<std::string> ids;
  if (arguments.has("ids")) {
    DROVER_ASSIGN(ids, expand_nodeset(arguments.text("ids"), "--ids"));
  }
  DROVER_ASSIGN(const auto made, make_key(folder, name, role, std::move(ids)));
  write_stdout("{} (role {}{}{}) {}\n  secret {}\n  public {}\n", made.key.name,
               to_text(made.key.role), made.key.ids.empty() ? "" : " of ",
               made.key.ids.empty() ? "" : ids_text(made.key), fingerprint(made.key.key),
               printable(made.secret_file), printable(made.public_file));
  return CommandOutcome::done();
}

/// `what` is a file, or the name of a key in the folder, with or without ".pub".
CommandOutcome allow(const std::string& folder, const std::string& what) {
  const fs::path own = fs::path(folder) / (what.ends_with(".pub") ? what : what + ".pub");
  std::error_code unknown;
  const bool elsewhere = what.find('/') != std::string::npos ||
                         (what.ends_with(".pub") && fs::is_regular_file(what, unknown));
  DROVER_ASSIGN(const auto allowed, allow_file(folder, elsewhere ? what : own.string()));
  write_stdout("{} (role {}) {} is allowed\n", allowed.name, to_text(allowed.role),
               fingerprint(allowed.key));
  return CommandOutcome::done();
}

CommandOutcome revoke(const std::string& folder, const std::string& name) {
  DROVER_ASSIGN(const auto revoked, revoke_key(folder, name));
  write_stdout("{} {}\n", name, revoked ? "is revoked" : "was not allowed");
  return CommandOutcome::done();
}

Json to_json(const ListedKey& listed) {
  return Json::object()
      .set("name", listed.key.name)
      .set("role", std::string(to_text(listed.key.role)))
      .set("ids", Json::array_of(listed.key.ids))
      .set("fingerprint", fingerprint(listed.key.key))
      .set("secret_here", listed.secret)
      .set("allowed", listed.allowed);
}

CommandOutcome list(Arguments& arguments, const std::string& folder) {
  DROVER_ASSIGN(const auto listing, list_keys(folder));
  for (const std::string& problem : listing.problems) write_stderr("drover keys: {}\n", problem);
  if (arguments.has("json")) {
    Json all = Json::array();
    for (const ListedKey& listed : listing.keys) all.add(to_json(listed));
    write_stdout("{}\n", all.dump());
    return CommandOutcome::done();
  }
  std::vector<std::vector<std::string>> rows;
  for (const ListedKey& listed : listing.keys) {
    rows.push_back({listed.key.name, std::string(to_text(listed.key.role)), ids_text(listed.key),
                    fingerprint(listed.key.key), listed.secret ? "here" : "-",
                    listed.allowed ? "yes" : "no"});
  }
  write_stdout_text(
      table_text({"NAME", "ROLE", "HOSTS", "FINGERPRINT", "SECRET", "ALLOWED"}, rows));
  return CommandOutcome::done();
}

}  // namespace

CommandUsage keys_usage() {
  return {"usage: drover keys new NAME --role ROLE | list | allow NAME or FILE.pub | revoke NAME",
          "Manages keys for encrypted connections. A router that was started with --keys accepts "
          "only allowed keys, each with the rights of its role: agent (act as the hosts in --ids), "
          "view (query and watch), submit (query and submit work), admin (everything a client can "
          "do). A newly allowed key is accepted within 10 s, and a revoked one is cut off within "
          "2 s. Secrets stay where they were made; copy only .pub files to other machines.",
          {Option::choice("role", "ROLE", "agent, submit, view, admin or router",
                          {"agent", "submit", "view", "admin", "router"}),
           {"ids", "NAMES", "the hosts of an agent's key, such as node[01-20] (default: its name)"},
           {"dir", "DIR", "the key folder (default: $DROVER_KEYS, else ~/.config/drover/keys)"},
           {"json", "", "list: a JSON array on stdout"}},
          {"ACTION", "WHAT"},
          "  drover keys new router\n"
          "      the router's own key; clients need its router.pub\n"
          "  drover keys new node-1 --role agent && drover keys allow node-1\n"
          "  drover router --listen tcp://0.0.0.0:7700 --keys ~/.config/drover/keys\n"
          "  drover keys allow /tmp/alice.pub\n"
          "  drover keys revoke alice"};
}

CommandOutcome run_keys(Arguments& arguments) {
  const std::string action = arguments.text("ACTION", "list");
  const std::string what = arguments.text("WHAT");
  const std::vector<std::string> known = {"new", "list", "allow", "revoke"};
  if (!contains(known, action)) {
    return error("unknown action '{}'{}", excerpt(action), suggestion(action, known));
  }
  if ((action == "list") != what.empty()) {
    return action == "list" ? error("unexpected argument '{}'", excerpt(what))
                            : error("{}: the name of a key is required", action);
  }
  DROVER_ASSIGN(auto folder, arguments.has("dir") ? Result<std::string>(arguments.text("dir"))
                                                  : default_keys_folder());
  DROVER_TRY(arguments.status());
  if (action == "new") return make(arguments, folder, what);
  if (action == "allow") return allow(folder, what);
  if (action == "revoke") return revoke(folder, what);
  return list(arguments, folder);
}

}  // namespace drover::commands
