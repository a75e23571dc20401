// Devices: `drover devices` as text and JSON, the dashboard's table; and hosts and replicas.
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/query/table_output.h"
#include "fleet/base/units.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

constexpr std::array<const char*, 10> words = {"device",  "rack",  "state", "health", "usable",
                                               "drained", "group", "pause", "models", "pools"};
/// What samples say. A key is the column's name as well.
constexpr std::array<const char*, 16> readings = {"utilization",
                                                  "tensor_activity",
                                                  "memory_activity",
                                                  "memory_used_bytes",
                                                  "memory_total_bytes",
                                                  "power_w",
                                                  "power_cap_w",
                                                  "temperature_c",
                                                  "clock_mhz",
                                                  "energy_j",
                                                  "queue",
                                                  "running",
                                                  "memory_temperature_c",
                                                  "power_violation_s",
                                                  "thermal_violation_s",
                                                  "board_limit_violation_s"};

/// A message of samples is under way for less, and they are a second apart: ages that differ by
/// less are of one sample.
constexpr double same_sample_s = 0.05;
/// Between the questions other samples have come, and one or two of them may have been lost.
constexpr double ages_apart_s = 3;

double number_of(const Json& value) { return value.is_number() ? value.number() : absent; }

/// `life_s`: the router's age. Who watches may know of a sample from before, which it does not.
void compare_device(const Json& told, const Table& table, std::size_t row, double life_s,
                    const Comparison& compared) {
  const std::string id = told["id"].text() + " ";
  for (const char* const word : words) {
    const std::string there = table.text(row, word);
    // A pause may begin and end with each heartbeat: it must not stand where it does not.
    const bool passes = std::string_view(word) == "pause";
    compared.same(id + word + (passes ? fmt::format(", told as '{}'", there) : ""),
                  shown(told[word]), there);
  }
  const double age_s = number_of(told["age_s"]), other_age_s = table.number(row, "age_s");
  if (!std::isnan(age_s) || !(other_age_s >= life_s)) {
    compared.near(id + "age", age_s, other_age_s, ages_apart_s);
  }
  const bool one_sample = std::abs(age_s - other_age_s) < same_sample_s;
  for (const char* const reading : readings) {
    const double one = number_of(told[reading]), other = table.number(row, reading);
    compared.near(id + reading, one, other, one_sample ? 1e-6 * std::abs(one) : 1e300);
  }
  if (one_sample)
    compared.same(id + "throttle", shown(told["throttle"]), table.text(row, "throttle"));
}

/// What `drover devices` prints for people names each device and its states.
void compare_text(const InterfaceAnswers& at, const Json& told, Inconsistencies& wrong) {
  const Comparison compared("devices", "devices --json", wrong, Duration{});
  const tui::JobsByDevice jobs(at.fleet);
  const tui::EvaluationContext context{at.fleet, at.now, jobs};
  const auto devices = devices_of(at);
  compared.same("lines", static_cast<double>(devices.size()), static_cast<double>(told.size()));
  for (std::size_t i = 0; i < std::min(devices.size(), told.size()); ++i) {
    const std::vector<std::string> cells = device_cells(context, devices[i].row);
    std::string state = told[i]["state"].text();
    const std::string pause = shown(told[i]["pause"]);
    if (!pause.empty() && pause != "no") state += ", " + pause;
    compared.same("the id", cells[0], told[i]["id"].text());
    compared.same(cells[0] + " state", cells[2], state);
  }
}

}  // namespace

void compare_devices(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Table& table = at.tables["devices"];
  const Json told = to_json(table_of(at, "devices"));
  compare_text(at, told, wrong);
  const Comparison compared("devices --json", "the dashboard", wrong);
  Ids ids;
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string& id = told[i]["id"].text();
    ids.insert(id);
    const double life_s = to_seconds(at.now - at.heard.life_began());
    if (const auto row = table.find("id", id)) {
      compare_device(told[i], table, *row, life_s, compared);
    }
  }
  compared.same("the device", ids, table.column("id"));
}

namespace {

/// The pools of a device, as its host tells them.
std::vector<std::string> pools_of(const HostChanged& host, std::uint16_t device) {
  std::vector<std::string> pools;
  for (std::size_t place = 0; place < host.registration.groups.size(); ++place) {
    const Group& group = host.registration.groups[place];
    if (device < group.first || device >= group.first + group.count) continue;
    if (place < host.pools.size() && !host.pools[place].empty()) pools.push_back(host.pools[place]);
    for (const GroupPool& further : host.further_pools) {
      if (further.group == place) pools.push_back(further.pool);
    }
  }
  return pools;
}

}  // namespace

void compare_hosts(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Comparison compared("devices", "the dashboard", wrong);
  // Each heartbeat brings another number: they differ whenever one is under way.
  const Comparison loads("devices", "the dashboard", wrong, 15 * settles_within);
  const Table& hosts = at.tables["hosts"];
  Ids names;
  for (const tui::HostRow& known : at.fleet.hosts()) {
    const HostChanged& host = known.reported;
    const std::string& name = host.registration.host;
    names.insert(name);
    const auto row = hosts.find("host", name);
    if (!row) continue;
    std::size_t devices = 0;
    for (const Group& group : host.registration.groups) devices += group.count;
    compared.same(name + " state", std::string(to_text(host.health)), hosts.text(*row, "state"));
    compared.same(name + " rack", host.registration.rack, hosts.text(*row, "rack"));
    compared.same(name + " devices", static_cast<double>(devices), hosts.number(*row, "devices"));
    // They are told once a beat, and may grow in each: one number may not stand for longer.
    const double lost = hosts.number(*row, "router_sample_gaps");
    compared.same(fmt::format("{} lost samples, told as {:.0f}", name, lost),
                  static_cast<double>(host.sample_gaps), lost);
  }
  compared.same("the host", names, hosts.column("host"));
  const Table& table = at.tables["replicas"];
  Ids ids;
  for (const auto& [id, known] : at.fleet.replicas()) {
    const ReplicaChanged& changed = known.reported;
    const Replica& replica = changed.replica;
    const std::string name = to_text(id);
    ids.insert(name);
    const auto row = table.find("id", name);
    const tui::HostRow* const host = at.fleet.find_host(id.host);
    if (!row || host == nullptr) continue;
    const Health health = host->reported.health;
    const bool gone = is_gone(health);
    const auto pools = pools_of(host->reported, replica.devices.front());
    compared.same(name + " first pool", changed.pool, pools.empty() ? "" : pools.front());
    const std::map<std::string, std::string> facts = {
        {"model", replica.model},
        {"precision", std::string(to_text(replica.precision))},
        {"pools", fmt::format("{}", fmt::join(pools, " "))},
        {"devices", fmt::format("{}", fmt::join(replica.devices, " "))},
        {"state", std::string(gone ? to_text(health) : to_text(replica.state))},
    };
    const bool paused = !gone && replica.pause != Pause::none;
    const std::string& pause = table.text(*row, "pause");
    compared.same(fmt::format("{} pause, told as '{}'", name, pause),
                  gone     ? ""
                  : paused ? std::string(to_text(replica.pause))
                           : "no",
                  pause);
    if (!gone) {
      loads.same(name + " running", double(replica.running), table.number(*row, "running"));
      loads.same(name + " queue", double(replica.queued), table.number(*row, "queue"));
    }
    for (const auto& [column, fact] : facts) {
      compared.same(fmt::format("{} {}", name, column), fact, table.text(*row, column));
    }
  }
  compared.same("the replica", ids, table.column("id"));
}

}  // namespace drover::commands
