#include "agents/launch/fleet_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/socket/socket.h"
#include "fleet/text/nodeset.h"
#include "fleet/text/toml.h"

namespace drover::launch {

namespace {

using toml_file::Table;

bool is_plain(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

void read_name(Table& table, const char* key, std::string& name) {
  name = table.text(key, name);
  if (is_name(name)) return;
  table.add_problem(
      key,
      fmt::format("found '{}', expected 1 to 64 characters of A-Z a-z 0-9 . _ : -", excerpt(name)));
}

void read_labels(Table& table, std::map<std::string, std::string>& labels) {
  std::optional<Table> given = table.table("labels");
  if (!given) return;
  labels.clear();
  for (const std::string& key : given->keys()) {
    const std::string value = given->text(key);
    if (!is_name(key) || !is_name(value)) {
      given->add_problem(key, "expected key and value of A-Z a-z 0-9 . _ : -");
    }
    labels[key] = value;
  }
}

void read_root(Table& table, std::string& root) {
  root = table.text("root", root);
  const bool absolute = root.starts_with("/") || root.starts_with("~/");
  const auto parts = split(root, '/');
  const bool climbs = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (absolute && root.size() > 2 && root.size() < 512 && !climbs && is_plain(root)) return;
  table.add_problem(
      "root",
      fmt::format("found '{}', expected a folder such as ~/.drover or /opt/drover", excerpt(root)));
}

void read_way(Table& table, LaunchHost& host) {
  const std::string via = table.text("via", host.via == Via::ssh ? "ssh" : "local");
  if (via != "ssh" && via != "local") {
    table.add_problem("via", fmt::format("found '{}', expected ssh or local", excerpt(via)));
  }
  host.via = via == "local" ? Via::local : Via::ssh;
  host.user = table.text("user", host.user);
  if (!host.user.empty() && (!is_name(host.user) || host.user[0] == '-')) {
    table.add_problem("user",
                      fmt::format("found '{}', expected a user's name", excerpt(host.user)));
  }
  host.port = table.integer_in("port", 0, 65535, host.port);
  if (table.has("ssh_options")) host.ssh_options = table.texts("ssh_options");
  if (!std::all_of(host.ssh_options.begin(), host.ssh_options.end(), is_plain)) {
    table.add_problem("ssh_options", "found a control character, expected ssh options");
  }
  read_root(table, host.root);
}

/// Reads everything but the names, from [defaults] or from an entry on top of them.
void read_host(Table& table, LaunchHost& host) {
  read_way(table, host);
  host.devices = table.text("devices", host.devices);
  host.replicas = table.text("replicas", host.replicas);
  read_name(table, "rack", host.rack);
  read_name(table, "site", host.site);
  read_labels(table, host.labels);
  host.ambient_c = table.number_in("ambient", ambient_min_c, ambient_max_c, host.ambient_c);
  host.rate_hz = table.number_in("rate", 0.001, 1000, host.rate_hz);
  host.seed = table.integer_in("seed", 0, INT64_MAX, host.seed);
}

/// Reads a nodeset. Errors read "fleet.toml:7: hosts[1].hosts: ..", without the location that the
/// inner error repeats.
std::vector<std::string> read_nodeset(Table& table, const char* key) {
  auto names = expand_nodeset(table.text(key), table.location_of(key));
  if (names) return *names;
  table.add_problem(key, names.error().message.substr(table.location_of(key).size() + 2));
  return {};
}

void read_entry(Table& table, const LaunchHost& defaults, std::vector<LaunchHost>& hosts) {
  LaunchHost host = defaults;
  read_host(table, host);
  host.place = table.location_of("hosts");
  const std::vector<std::string> names = read_nodeset(table, "hosts");
  std::vector<std::string> addresses = names;
  if (table.has("addresses")) addresses = read_nodeset(table, "addresses");
  if (addresses.size() != names.size()) {
    table.add_problem("addresses",
                      fmt::format("found {} addresses for {} hosts, expected one address per host",
                                  addresses.size(), names.size()));
    return;
  }
  if (host.devices.empty()) {
    table.add_problem("devices",
                      "found nothing, expected the devices to emulate, such as h100-sxm:8");
  }
  if (hosts.size() + names.size() > nodeset_names_max) {
    table.add_problem("hosts", fmt::format("over {} hosts", nodeset_names_max));
    return;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    host.name = names[i];
    host.address = addresses[i];
    hosts.push_back(host);
  }
}

void read_router(Table& file, LaunchFleet& fleet) {
  std::optional<Table> router = file.table("router");
  if (!router) {
    file.add_problem("router", "found nothing, expected connect = \"tcp://..\" under [router]");
    return;
  }
  fleet.connect = router->text("connect");
  fleet.keys = router->text("keys", "");
  const auto endpoint = parse_endpoint(fleet.connect, "");
  if (!endpoint || endpoint->port == 0 || endpoint->host == "*") {
    router->add_problem("connect",
                        fmt::format("found '{}', expected an endpoint to connect to, such "
                                    "as tcp://10.0.0.1:7700",
                                    excerpt(fleet.connect)));
  }
}

Status check_unique(const std::vector<LaunchHost>& hosts) {
  std::map<std::string, const LaunchHost*> known;
  for (const LaunchHost& host : hosts) {
    const auto [found, fresh] = known.try_emplace(host.name, &host);
    if (fresh) continue;
    return error("{}: names {}, which {} names too", host.place, host.name, found->second->place);
  }
  return {};
}

}  // namespace

Result<LaunchFleet> parse_fleet_file(std::string_view text, const std::string& place) {
  DROVER_ASSIGN(auto file, Table::parse(text, place));
  LaunchFleet fleet;
  read_router(file, fleet);
  LaunchHost defaults;
  defaults.root = "~/.drover";
  defaults.rack = "rack-1";
  defaults.site = "local";
  if (std::optional<Table> table = file.table("defaults")) read_host(*table, defaults);
  for (Table& entry : file.tables("hosts")) read_entry(entry, defaults, fleet.hosts);
  DROVER_TRY(file.finish());
  if (fleet.hosts.empty()) {
    return error("{}: names no host, expected [[hosts]] with hosts = \"node[01-04]\"", place);
  }
  DROVER_TRY(check_unique(fleet.hosts));
  return fleet;
}

Result<std::vector<LaunchHost>> chosen_hosts(const LaunchFleet& fleet, std::string_view nodeset) {
  if (nodeset.empty()) return fleet.hosts;
  DROVER_ASSIGN(auto names, expand_nodeset(nodeset, "--hosts"));
  std::map<std::string, const LaunchHost*> known;
  for (const LaunchHost& host : fleet.hosts) known[host.name] = &host;
  std::vector<LaunchHost> chosen;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      unknown.push_back(name);
    } else {
      chosen.push_back(*found->second);
    }
  }
  if (unknown.empty()) return chosen;
  std::vector<std::string> all;
  for (const LaunchHost& host : fleet.hosts) all.push_back(host.name);
  return error("--hosts: {} not in the fleet, which has {}", fold_nodeset(std::move(unknown)),
               excerpt(fold_nodeset(std::move(all)), 200));
}

std::vector<std::string> agent_words(const LaunchFleet& fleet, const LaunchHost& host) {
  std::vector<std::string> words = {"agent",   "--connect", fleet.connect, "--name",
                                    host.name, "--rack",    host.rack,     "--site",
                                    host.site, "--devices", host.devices};
  const auto add = [&](const char* option, std::string value) {
    words.emplace_back(option);
    words.push_back(std::move(value));
  };
  if (!host.replicas.empty()) add("--replicas", host.replicas);
  for (const auto& [key, value] : host.labels) add("--label", fmt::format("{}={}", key, value));
  add("--ambient", fmt::format("{}", host.ambient_c));
  add("--sample-rate", fmt::format("{}", host.rate_hz));
  add("--seed", fmt::format("{}", host.seed));
  return words;
}

}  // namespace drover::launch
