// `drover launch`: agents on many hosts, through ssh or on this machine. Nothing is remembered
// here: the hosts are asked.
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agents/agent.h"
#include "agents/launch/fleet_file.h"
#include "agents/launch/order.h"
#include "commands/launch/launch_cargo.h"
#include "commands/launch/launch_crew.h"
#include "commands/launch/launch_keys.h"
#include "commands/launch/launch_progress.h"
#include "commands/launch/launch_results.h"
#include "commands/shell/files.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/socket/socket.h"
#include "fleet/text/nodeset.h"

namespace drover::commands {

namespace {

using launch::Action;
using launch::LaunchFleet;
using launch::LaunchHost;

struct LaunchOptions {
  Action action = Action::status;
  std::string file;
  std::string hosts;
  std::size_t fanout = 32;
  Wall limit = std::chrono::seconds(60);
  std::int64_t lines = 100;
  bool purge = false;
  bool all = false;
  bool json = false;
};

/// An agent that its launcher has lost ends by itself after so long without a router.
constexpr const char* orphan_after = "10m";

Result<LaunchOptions> read_options(Arguments& arguments) {
  constexpr std::pair<const char*, Action> actions[] = {{"up", Action::up},
                                                        {"status", Action::status},
                                                        {"logs", Action::logs},
                                                        {"down", Action::down}};
  LaunchOptions options;
  const std::string word = arguments.text("action");
  bool known = false;
  for (const auto& [name, action] : actions) {
    if (word != name) continue;
    options.action = action;
    known = true;
  }
  if (!known) {
    return error("found '{}', expected up, status, logs or down, and a fleet file", excerpt(word));
  }
  options.file = arguments.text("fleet");
  if (options.file.empty())
    return error("a fleet file is wanted: drover launch {} FLEET.toml", word);
  if (arguments.has("hosts") && arguments.has("set")) {
    return error("--hosts: found hosts after the file too, expected one of both");
  }
  options.hosts = arguments.text("hosts", arguments.text("set"));
  options.fanout = static_cast<std::size_t>(arguments.integer("fanout", 1, 200, 32));
  options.limit = arguments.duration("timeout", std::chrono::seconds(60));
  options.lines = arguments.integer("lines", 1, 10'000, 100);
  options.purge = arguments.has("purge");
  options.all = arguments.has("all");
  options.json = arguments.has("json");
  if (options.all && options.action != Action::down) return error("--all: goes with down");
  if (options.limit < std::chrono::seconds(1) || options.limit > std::chrono::hours(1)) {
    return error("--timeout: found {}, expected 1s to 1h", excerpt(arguments.text("timeout")));
  }
  if (const Status fine = arguments.status(); !fine) return fine.error();
  return options;
}

/// What would only be found out on the host, after all the copying.
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
  std::vector<std::string> words = {program != nullptr && *program != 0 ? program : "ssh"};
  words.insert(words.end(), host.ssh_options.begin(), host.ssh_options.end());
  for (const char* option : {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
                             "ServerAliveCountMax=3", "ClearAllForwardings=yes"}) {
    words.insert(words.end(), {"-o", option});
  }
  words.emplace_back("-T");
  if (!host.user.empty()) words.insert(words.end(), {"-l", host.user});
  if (host.port > 0) words.insert(words.end(), {"-p", std::to_string(host.port)});
  words.insert(words.end(), {host.address, reading});
  return words;
}

Result<Errand> errand_for(const LaunchOptions& options, const LaunchFleet& fleet,
                          const LaunchHost& host, const std::optional<Cargo>& cargo, bool others) {
  launch::Order order;
  order.action = options.action;
  order.name = host.name;
  order.root = host.root;
  order.words = agent_words(fleet, host);
  order.words.insert(order.words.end(), {"--orphan-after", orphan_after});
  if (cargo) {
    order.needs = cargo->needs;
    auto keys = carried_keys(fleet_keys_folder(fleet, options.file), host.name,
                             options.action == Action::up);
    if (!keys) return keys.error();
    order.router_key = std::move(keys->router);
    order.agent_key = std::move(keys->agent);
  }
  order.lines = options.lines;
  order.purge = options.purge;
  order.others = others;
  Errand errand;
  errand.script = script_of(order);
  // Longer than ours: what we end here has had its time there.
  const auto limit_s = static_cast<std::int64_t>(std::ceil(to_seconds(options.limit))) + 5;
  errand.command = command_for(host, launch::reading_command(errand.script.size(), limit_s));
  return errand;
}

void warn_of_loopback(const LaunchFleet& fleet, const std::vector<LaunchHost>& hosts) {
  const auto endpoint = parse_endpoint(fleet.connect, "");
  if (!endpoint || !endpoint->loopback()) return;
  for (const LaunchHost& host : hosts) {
    if (host.via != launch::Via::ssh) continue;
    put_error(
        "drover launch: the agents on other hosts will look for the router at {}, which is "
        "themselves\n",
        fleet.connect);
    return;
  }
}

/// Where an agent's folder stands, as far as can be seen from here.
std::string folder_of(const LaunchHost& host) {
  if (host.via == launch::Via::local) return host.root;
  return fmt::format("{} {} {} {}", host.address, host.user, host.port, host.root);
}

Result<std::vector<Errand>> errands_for(const LaunchOptions& options, const LaunchFleet& fleet,
                                        const std::vector<LaunchHost>& hosts,
                                        const std::optional<Cargo>& cargo) {
  std::vector<Errand> errands;
  std::set<std::string> asked;  // one host of those that share a folder tells who else is there
  for (const LaunchHost& host : hosts) {
    auto errand = errand_for(options, fleet, host, cargo, asked.insert(folder_of(host)).second);
    if (!errand) return errand.error();
    errands.push_back(std::move(*errand));
  }
  return errands;
}

std::vector<HostResult> ask_all(const LaunchOptions& options, const std::vector<LaunchHost>& hosts,
                                const std::vector<Errand>& errands,
                                const std::optional<Cargo>& cargo, StopSignals& signals) {
  std::vector<std::string> names;
  for (const LaunchHost& host : hosts) names.push_back(host.name);
  LaunchProgress progress(std::move(names), options.json ? LaunchProgress::Style::silent
                                                         : LaunchProgress::style_for(hosts.size()));
  const double limit_s = to_seconds(options.limit);
  CrewPlan plan;
  plan.fanout = options.fanout;
  plan.limit = options.limit;
  if (options.action == Action::up) plan.cargo = &cargo->tar;
  plan.changed = [&](std::size_t number, const Returned& returned) {
    if (returned.fate == Fate::under_way) {
      progress.tell(number, returned.cargo ? "copying the program" : "connecting");
      return;
    }
    const HostResult result = judge(hosts[number], returned, limit_s);
    progress.done(number, result.well,
                  result.state + (result.detail.empty() ? "" : " (" + result.detail + ")"));
  };
  const std::vector<Returned> returned = run_errands(errands, plan, signals);
  progress.finish();
  std::vector<HostResult> results;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    results.push_back(judge(hosts[i], returned[i], limit_s));
  }
  return results;
}

/// Agents that the hosts have told of and the fleet file does not name: each as the host that told,
/// by another name.
std::vector<LaunchHost> take_strays(const LaunchFleet& fleet, const std::vector<LaunchHost>& hosts,
                                    std::vector<HostResult>& results) {
  std::set<std::string> known;
  for (const LaunchHost& host : fleet.hosts) known.insert(host.name);
  std::vector<LaunchHost> strays;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const std::string& name : results[i].answer.also) {
      if (known.contains(name)) continue;
      results[i].also.push_back(name);
      strays.push_back(hosts[i]);
      strays.back().name = name;
    }
    if (results[i].also.empty()) continue;
    std::string& detail = results[i].detail;
    detail += fmt::format("{}also runs here: {}", detail.empty() ? "" : "; ",
                          fold_nodeset(results[i].also));
  }
  return strays;
}

CommandOutcome tell(const LaunchOptions& options, const std::vector<HostResult>& results) {
  put_text(options.json ? results_json(options.action, results)
                        : results_text(options.action, results));
  std::size_t failed = 0;
  for (const HostResult& result : results) failed += result.well ? 0 : 1;
  if (failed == 0) return CommandOutcome::done();
  if (!options.json) put("failed: {}\n", failed_hosts(results));
  return {failed == results.size() ? Exit::failed : Exit::partly, ""};
}

}  // namespace

CommandUsage launch_usage() {
  return {"usage: drover launch up|status|logs|down FLEET.toml [HOSTS] [options]",
          "Runs agents on the hosts of a fleet file, through the system's ssh or on this machine. "
          "`up`\n"
          "copies the program where it is missing and starts what does not run as the file says;\n"
          "`status`, `logs` and `down` ask the hosts. HOSTS is a nodeset such as node[01-03].",
          {{"hosts", "NODESET", "only these hosts of the file"},
           {"fanout", "N", "so many hosts at once (default 32)"},
           {"timeout", "T", "time limit for each host (default 60s)"},
           {"lines", "N", "logs: the last N lines of each host (default 100)"},
           {"purge", "", "down: remove the folders there, copies of the program included"},
           {"all", "", "down: end also the agents there that the file does not name"},
           {"json", "", "one JSON object on stdout"}},
          {"action", "fleet", "set"},
          "  drover launch up fleet.toml\n"
          "      afterwards every host runs its agent; a second time changes nothing\n"
          "  drover launch up fleet.toml --hosts node[03,07]\n"
          "      only these, such as those named after `failed:`\n"
          "  drover launch logs fleet.toml node03 --lines 20\n"
          "  drover launch down fleet.toml --purge"};
}

CommandOutcome run_launch(Arguments& arguments) {
  const auto options = read_options(arguments);
  if (!options) return CommandOutcome::usage(options.error());
  const auto text = read_file(options->file, 4U << 20);
  if (!text) return CommandOutcome::failed(text.error());
  const auto fleet = launch::parse_fleet_file(*text, printable(options->file));
  if (!fleet) return CommandOutcome::failed(fleet.error());
  const auto hosts = launch::chosen_hosts(*fleet, options->hosts);
  if (!hosts) return CommandOutcome::usage(hosts.error());
  StopSignals signals;
  std::optional<Cargo> cargo;
  if (options->action == Action::up || options->action == Action::status) {
    auto packed = pack_cargo(options->action == Action::up);
    if (!packed) return CommandOutcome::failed(packed.error());
    cargo = std::move(*packed);
  }
  if (options->action == Action::up) {
    if (const Status fine = check_agents(*hosts); !fine)
      return CommandOutcome::failed(fine.error());
    warn_of_loopback(*fleet, *hosts);
  }
  const auto errands = errands_for(*options, *fleet, *hosts, cargo);
  if (!errands) return CommandOutcome::failed(errands.error());
  auto results = ask_all(*options, *hosts, *errands, cargo, signals);
  const auto strays = take_strays(*fleet, *hosts, results);
  if (options->all && !strays.empty()) {
    const auto more = errands_for(*options, *fleet, strays, cargo);
    if (!more) return CommandOutcome::failed(more.error());
    for (HostResult& result : ask_all(*options, strays, *more, cargo, signals)) {
      results.push_back(std::move(result));
    }
  }
  return tell(*options, results);
}

}  // namespace drover::commands
