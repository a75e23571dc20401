// Devices: `drover devices` as text and JSON, the dashboard's table; and hosts and replicas.
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/query/device_rows.h"
#include "commands/query/fleet_view.h"
#include "fleet/base/units.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// A key of the JSON, and the column of the dashboard's table that says the same.
struct Pairing {
  const char* key;
  const char* column;
};
constexpr std::array<Pairing, 6> words = {{{"device", "kind"},
                                           {"rack", "rack"},
                                           {"state", "state"},
                                           {"group", "group"},
                                           {"pause", "pause"},
                                           {"models", "models"}}};
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

std::string percent(double share) { return fmt::format("{:.0f}%", share * 100); }
std::string integer(double value) { return fmt::format("{:.0f}", value); }

/// A column of the text, from the JSON.
struct Printed {
  const char* key;
  std::string (*text)(double);
};
constexpr std::array<Printed, 9> printed = {{{"age_s", duration_text},
                                             {"utilization", percent},
                                             {"tensor_activity", percent},
                                             {"memory_used_bytes", bytes_text},
                                             {"memory_total_bytes", bytes_text},
                                             {"power_w", watts_text},
                                             {"temperature_c", integer},
                                             {"clock_mhz", integer},
                                             {"running", integer}}};

/// Id, kind, state, the numbers, and the models where there are any.
std::vector<std::string> printed_cells(const Json& device) {
  std::vector<std::string> cells = {device["id"].text(), device["device"].text(),
                                    device["state"].text()};
  if (!device["pause"].is_null()) cells.back() += ", " + device["pause"].text();
  for (const Printed& column : printed) {
    const double value = number_of(device[column.key]);
    cells.push_back(std::isnan(value) ? "N/A" : column.text(value));
  }
  if (!device["models"].text().empty()) cells.push_back(device["models"].text());
  return cells;
}

/// `life_s`: the router's age. Who watches may know of a sample from before, which it does not.
void compare_device(const Json& told, const Table& table, std::size_t row, double life_s,
                    const Comparison& compared) {
  const std::string id = told["id"].text() + " ";
  for (const Pairing& pairing : words) {
    const std::string& there = table.text(row, pairing.column);
    // A pause may begin and end with each heartbeat: it must not stand where it does not.
    const bool passes = std::string_view(pairing.column) == "pause";
    compared.same(id + pairing.column + (passes ? fmt::format(", told as '{}'", there) : ""),
                  shown(told[pairing.key]), there);
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
  // "no" and "idle" alone are no slowing down.
  const std::string throttle = told["throttle"].dump();
  const bool slowed = throttle != "[]" && throttle != "[\"idle\"]";
  if (one_sample && !told["throttle"].is_null()) {
    compared.same(id + "throttle", slowed ? "throttle" : "no",
                  table.text(row, "throttle") == "no" ? "no" : "throttle");
  }
}

/// What `drover devices` prints for people, against its JSON: both from the same answer.
void compare_text(const std::vector<DeviceRow>& rows, const Json& told, Inconsistencies& wrong) {
  const Comparison compared("devices", "devices --json", wrong, Duration{});
  const std::vector<std::string> lines = lines_of(to_table(rows));
  compared.same("lines", static_cast<double>(lines.size()), static_cast<double>(told.size()));
  for (std::size_t at = 0; at < std::min(lines.size(), told.size()); ++at) {
    compared.same("line of " + told[at]["id"].text(),
                  fmt::format("{}", fmt::join(cells_of(lines[at]), "|")),
                  fmt::format("{}", fmt::join(printed_cells(told[at]), "|")));
  }
}

}  // namespace

void compare_devices(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Table& table = at.tables["devices"];
  const std::vector<DeviceRow> rows = rows_of(at.fleet, {at.now});
  const Json told = to_json(rows);
  compare_text(rows, told, wrong);
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
  for (const auto& [name, host] : at.fleet.hosts()) {
    names.insert(name);
    const auto row = hosts.find("host", name);
    if (!row) continue;
    std::size_t devices = 0;
    for (const Group& group : host.changed.registration.groups) devices += group.count;
    compared.same(name + " state", std::string(to_text(host.changed.health)),
                  hosts.text(*row, "state"));
    compared.same(name + " rack", host.changed.registration.rack, hosts.text(*row, "rack"));
    compared.same(name + " devices", static_cast<double>(devices), hosts.number(*row, "devices"));
    // They are told once a beat, and may grow in each: one number may not stand for longer.
    const double lost = hosts.number(*row, "router_sample_gaps");
    compared.same(fmt::format("{} lost samples, told as {:.0f}", name, lost),
                  static_cast<double>(host.changed.sample_gaps), lost);
  }
  compared.same("the host", names, hosts.column("host"));
  const Table& table = at.tables["replicas"];
  Ids ids;
  for (const auto& [id, changed] : at.fleet.replicas()) {
    const Replica& replica = changed.replica;
    const std::string name = to_text(id);
    ids.insert(name);
    const auto row = table.find("id", name);
    const auto host = at.fleet.hosts().find(id.host);
    if (!row || host == at.fleet.hosts().end()) continue;
    const Health health = host->second.changed.health;
    const bool gone = is_gone(health);
    const auto pools = pools_of(host->second.changed, replica.devices.front());
    compared.same(name + " first pool", changed.pool, pools.empty() ? "" : pools.front());
    const std::map<std::string, std::string> facts = {
        {"model", replica.model},
        {"precision", std::string(to_text(replica.precision))},
        {"pool", fmt::format("{}", fmt::join(pools, ","))},
        {"devices", fmt::format("{}", fmt::join(replica.devices, " "))},
        {"state", std::string(gone ? to_text(health) : to_text(replica.state))},
    };
    const bool paused = !gone && replica.pause != Pause::none;
    const std::string& pause = table.text(*row, "pause");
    compared.same(fmt::format("{} pause, told as '{}'", name, pause),
                  paused ? std::string(to_text(replica.pause)) : "", pause);
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
