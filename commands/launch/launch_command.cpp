// `drover launch`: runs agents on many hosts, through ssh or on this machine. It keeps no state of
// its own: every action queries the hosts.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agents/agent.h"
#include "agents/launch/fleet_file.h"
#include "agents/launch/order.h"
#include "agents/launch/ssh.h"
#include "commands/connection/keys.h"
#include "commands/launch/payload.h"
#include "commands/launch/progress.h"
#include "commands/launch/results.h"
#include "commands/launch/task_runner.h"
#include "commands/shell/files.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

/// Texts of key files; empty if the fleet file names no key folder.
struct HostKeys {
  std::string router;  // public
  std::string agent;   // secret
};

/// The fleet's key folder, relative to the folder of the fleet file; empty: none.
std::string fleet_keys_folder(const launch::LaunchFleet& fleet, const std::string& fleet_file) {
  if (fleet.keys.empty()) return {};
  const char* home = std::getenv("HOME");
  if (fleet.keys.starts_with("~/") && home != nullptr) return home + fleet.keys.substr(1);
  return (fs::path(fleet_file).parent_path() / fleet.keys).string();
}

/// The keys for one host. With `make`, a missing key is made and allowed, and a key that is not
/// allowed is an error. Without, missing keys are empty.
Result<HostKeys> keys_for_host(const std::string& folder, const std::string& host, bool make) {
  HostKeys keys;
  if (folder.empty()) return keys;
  auto router = read_file((fs::path(folder) / "router.pub").string(), key_file_bytes_max);
  if (!router) {
    if (!make) return keys;
    return error(router.error().kind,
                 "router.keys: {}; make it with: drover keys new router --dir {}",
                 router.error().message, printable(folder));
  }
  std::string secret_file = (fs::path(folder) / (host + ".key")).string();
  if (make) {
    DROVER_ASSIGN(const auto made, make_allowed_key(folder, host));
    DROVER_ASSIGN(const auto allowed, is_allowed(folder, made.key));
    if (!allowed) {
      return error(
          ErrorKind::refused,
          "{}: its key is not allowed (revoked?); to allow it: drover keys allow {} --dir {}", host,
          host, printable(folder));
    }
    secret_file = made.secret_file;
  }
  auto secret = read_file(secret_file, key_file_bytes_max);
  if (!secret && make) return secret.error();
  if (!secret) return keys;
  keys.router = std::move(*router);
  keys.agent = std::move(*secret);
  return keys;
}

using launch::LaunchAction;
using launch::LaunchFleet;
using launch::LaunchHost;

struct LaunchOptions {
  LaunchAction action = LaunchAction::status;
  std::string file;
  std::string hosts;
  std::size_t fanout = 32;
  WallSpan limit = std::chrono::seconds(60);
  std::int64_t lines = 100;
  bool purge = false;
  bool all = false;
  bool json = false;
};

/// A launched agent exits by itself after this long without a router.
constexpr const char* exit_after_silence = "10m";

Result<LaunchOptions> read_options(Arguments& arguments) {
  LaunchOptions options;
  const std::string word = arguments.text("action");
  if (word.empty()) {
    return error("ACTION and FLEET.toml are required; {}", launch_usage().synopsis);
  }
  const auto action = launch::parse_launch_action(word);
  if (!action) {
    return error("found action '{}', expected up, status, logs or down, and a fleet file",
                 excerpt(word));
  }
  options.action = *action;
  options.file = arguments.text("fleet");
  if (options.file.empty())
    return error("a fleet file is required: drover launch {} FLEET.toml", word);
  if (arguments.has("hosts") && arguments.has("set")) {
    return error("--hosts and HOSTS after the file exclude each other");
  }
  options.hosts = arguments.text("hosts", arguments.text("set"));
  options.fanout = static_cast<std::size_t>(arguments.integer("fanout", 1, 200, 32));
  options.limit = arguments.duration("timeout", std::chrono::seconds(60));
  options.lines = arguments.integer("lines", 1, 10'000, 100);
  options.purge = arguments.has("purge");
  options.all = arguments.has("all");
  options.json = arguments.has("json");
  if (options.all && options.action != LaunchAction::down)
    return error("--all works only with down");
  if (options.limit < std::chrono::seconds(1) || options.limit > std::chrono::hours(1)) {
    return error("--timeout: found {}, expected 1s to 1h", excerpt(arguments.text("timeout")));
  }
  DROVER_TRY(arguments.status());
  return options;
}

/// Checks the agents' settings here, before the program is copied to the hosts.
Status check_agents(const std::vector<LaunchHost>& hosts) {
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  for (const LaunchHost& host : hosts) {
    agents::AgentSettings settings;
    settings.host = host.name;
    auto groups = agents::parse_device_list(host.devices, catalogue);
    if (!groups) return error("{}: devices: {}", host.place, groups.error().message);
    settings.groups = std::move(*groups);
    if (!host.replicas.empty()) {
      auto replicas = agents::parse_replica_list(host.replicas, catalogue);
      if (!replicas) return error("{}: replicas: {}", host.place, replicas.error().message);
      settings.replicas = std::move(*replicas);
    }
    if (const Status fine = agents::Agent::check(settings, catalogue); !fine) {
      return error("{}: {}", host.place, fine.error().message);
    }
  }
  return {};
}

std::vector<std::string> command_for(const LaunchHost& host, const std::string& reading) {
  if (host.via == launch::Via::local) return {"/bin/sh", "-c", reading};
  const char* program = std::getenv("DROVER_SSH");
  return ssh_words(host, program == nullptr ? "" : program, reading);
}

Result<RemoteTask> task_for(const LaunchOptions& options, const LaunchFleet& fleet,
                            const LaunchHost& host, const std::optional<LaunchPayload>& payload,
                            bool others) {
  launch::Order order;
  order.action = options.action;
  order.name = host.name;
  order.root = host.root;
  order.words = agent_words(fleet, host);
  order.words.insert(order.words.end(), {"--exit-after-silence", exit_after_silence});
  if (payload) {
    order.needs = payload->needs;
    DROVER_ASSIGN(auto keys, keys_for_host(fleet_keys_folder(fleet, options.file), host.name,
                                           options.action == LaunchAction::up));
    order.router_key = std::move(keys.router);
    order.agent_key = std::move(keys.agent);
  }
  order.lines = options.lines;
  order.purge = options.purge;
  order.others = others;
  RemoteTask task;
  task.script = script_of(order);
  // Longer than the local limit, so that the task is ended from here first.
  const auto limit_s = static_cast<std::int64_t>(std::ceil(to_seconds(options.limit))) + 5;
  task.command = command_for(host, launch::reading_command(task.script.size(), limit_s));
  return task;
}

void warn_of_loopback(const LaunchFleet& fleet, const std::vector<LaunchHost>& hosts) {
  const auto endpoint = parse_endpoint(fleet.connect, "");
  if (!endpoint || !endpoint->loopback()) return;
  for (const LaunchHost& host : hosts) {
    if (host.via != launch::Via::ssh) continue;
    write_stderr(
        "drover launch: agents on other hosts cannot reach the router at {}: a loopback address is "
        "their own host\n",
        fleet.connect);
    return;
  }
}

/// Identifies the folder of an agent, as far as it is known here.
std::string folder_of(const LaunchHost& host) {
  if (host.via == launch::Via::local) return host.root;
  return fmt::format("{} {} {} {}", host.address, host.user, host.port, host.root);
}

Result<std::vector<RemoteTask>> tasks_for(const LaunchOptions& options, const LaunchFleet& fleet,
                                          const std::vector<LaunchHost>& hosts,
                                          const std::optional<LaunchPayload>& payload) {
  std::vector<RemoteTask> tasks;
  std::set<std::string> folders;  // only one host of each folder reports unlisted agents
  for (const LaunchHost& host : hosts) {
    DROVER_ASSIGN(auto task,
                  task_for(options, fleet, host, payload, folders.insert(folder_of(host)).second));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<HostResult> run_all(const LaunchOptions& options, const std::vector<LaunchHost>& hosts,
                                const std::vector<RemoteTask>& tasks,
                                const std::optional<LaunchPayload>& payload, StopSignals& signals) {
  std::vector<std::string> names;
  for (const LaunchHost& host : hosts) names.push_back(host.name);
  LaunchProgress progress(std::move(names), options.json ? LaunchProgress::Style::silent
                                                         : LaunchProgress::style_for(hosts.size()));
  const double limit_s = to_seconds(options.limit);
  TaskRunnerOptions runner;
  runner.fanout = options.fanout;
  runner.limit = options.limit;
  if (options.action == LaunchAction::up) runner.payload = &payload->tar;
  runner.changed = [&](std::size_t number, const RemoteTaskResult& task_result) {
    if (task_result.task_state == RemoteTaskState::running) {
      progress.set_status(number, task_result.payload ? "copying the program" : "connecting");
      return;
    }
    const HostResult result = host_result(hosts[number], task_result, limit_s);
    progress.done(number, result.ok,
                  state_text(result) + (result.detail.empty() ? "" : " (" + result.detail + ")"));
  };
  const std::vector<RemoteTaskResult> task_results = run_remote_tasks(tasks, runner, signals);
  progress.finish();
  std::vector<HostResult> results;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    results.push_back(host_result(hosts[i], task_results[i], limit_s));
  }
  return results;
}

/// Agents that the hosts have reported and that are not in the fleet file: each as a copy of its
/// host with the agent's name. Adds them to the host's result.
std::vector<LaunchHost> find_unlisted(const LaunchFleet& fleet,
                                      const std::vector<LaunchHost>& hosts,
                                      std::vector<HostResult>& results) {
  std::set<std::string> known;
  for (const LaunchHost& host : fleet.hosts) known.insert(host.name);
  std::vector<LaunchHost> unlisted;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const std::string& name : results[i].answer.unlisted_agents) {
      if (known.contains(name)) continue;
      results[i].unlisted_agents.push_back(name);
      unlisted.push_back(hosts[i]);
      unlisted.back().name = name;
    }
    if (results[i].unlisted_agents.empty()) continue;
    std::string& detail = results[i].detail;
    detail += fmt::format("{}also runs here: {}", detail.empty() ? "" : "; ",
                          fold_nodeset(results[i].unlisted_agents));
  }
  return unlisted;
}

CommandOutcome print_results(const LaunchOptions& options, const std::vector<HostResult>& results) {
  write_stdout_text(options.json ? results_json(options.action, results)
                                 : results_text(options.action, results));
  std::size_t failed = 0;
  for (const HostResult& result : results) failed += result.ok ? 0 : 1;
  if (failed == 0) return CommandOutcome::done();
  if (!options.json) write_stdout("failed: {}\n", failed_hosts(results));
  return {failed == results.size() ? Exit::failed : Exit::partly, {}};
}

}  // namespace

CommandUsage launch_usage() {
  return {"usage: drover launch up|status|logs|down FLEET.toml [HOSTS] [options]",
          "Runs agents on the hosts of a fleet file, through the system's ssh or on this machine. "
          "`up` copies the program to hosts that lack it, starts agents that are not running, and "
          "restarts agents whose settings differ from the file. `status` and `logs` query the "
          "hosts; `down` stops the agents. HOSTS is a nodeset such as node[01-03].",
          {{"hosts", "NODESET", "only these hosts of the file"},
           {"fanout", "N", "number of hosts at once (default 32)"},
           {"timeout", "T", "time limit for each host (default 60s)"},
           {"lines", "N", "logs: the last N lines of each host (default 100)"},
           {"purge", "",
            "down: remove what Drover has made on the hosts, including copies of the program; "
            "other contents of the folders stay"},
           {"all", "", "down: also stop agents on these hosts that the file does not list"},
           {"json", "", "one JSON object on stdout"}},
          {"action", "fleet", "set"},
          "  drover launch up fleet.toml\n"
          "      every host runs its agent; running it again changes nothing\n"
          "  drover launch up fleet.toml --hosts node[03,07]\n"
          "      only these hosts, such as those listed after `failed:`\n"
          "  drover launch logs fleet.toml node03 --lines 20\n"
          "  drover launch down fleet.toml --purge"};
}

CommandOutcome run_launch(Arguments& arguments) {
  DROVER_ASSIGN(const auto options, read_options(arguments));
  DROVER_ASSIGN(const auto text, read_file(options.file, 4U << 20));
  DROVER_ASSIGN(const auto fleet, launch::parse_fleet_file(text, printable(options.file)));
  DROVER_ASSIGN(const auto hosts, launch::chosen_hosts(fleet, options.hosts));
  StopSignals signals;
  std::optional<LaunchPayload> payload;
  if (options.action == LaunchAction::up || options.action == LaunchAction::status) {
    DROVER_ASSIGN(payload, build_launch_payload(options.action == LaunchAction::up));
  }
  if (options.action == LaunchAction::up) {
    DROVER_TRY(check_agents(hosts));
    warn_of_loopback(fleet, hosts);
  }
  DROVER_ASSIGN(const auto tasks, tasks_for(options, fleet, hosts, payload));
  auto results = run_all(options, hosts, tasks, payload, signals);
  const auto unlisted = find_unlisted(fleet, hosts, results);
  if (options.all && !unlisted.empty()) {
    DROVER_ASSIGN(const auto more, tasks_for(options, fleet, unlisted, payload));
    for (HostResult& result : run_all(options, unlisted, more, payload, signals)) {
      results.push_back(std::move(result));
    }
  }
  return print_results(options, results);
}

}  // namespace drover::commands
