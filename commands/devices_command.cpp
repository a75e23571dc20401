// `drover devices`: one row per device, as last reported.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "commands/absent.h"
#include "commands/fleet_view.h"
#include "commands/output.h"
#include "commands/session.h"
#include "commands/table.h"
#include "commands/verbs.h"
#include "fleet/json.h"
#include "fleet/units.h"

namespace drover::commands {

namespace {

constexpr Wall patience = std::chrono::seconds(5);

struct Row {
  DeviceId id;
  const FleetView::Host* host;
  const Group* group;
  Sample sample;       // nothing but absent values when its host is lost
  double age_s;        // of the sample, fleet time; absent without one
  std::string models;  // of the replicas on it, none when its host is lost
};

std::string models_on(const FleetView& fleet, const DeviceId& id) {
  std::string models;
  for (const auto& [replica_id, changed] : fleet.replicas()) {
    if (replica_id.host != id.host) continue;
    for (const std::uint16_t device : changed.replica.devices) {
      if (device == id.index) models += (models.empty() ? "" : " ") + changed.replica.model;
    }
  }
  return models;
}

std::vector<Row> rows_of(const FleetView& fleet, Instant now) {
  std::vector<Row> rows;
  for (const auto& [name, host] : fleet.hosts()) {
    const bool heard = host.sampled != Instant{};
    const bool lost = host.changed.health == Health::lost;
    const double age_s = heard ? std::max(0.0, to_seconds(now - host.sampled)) : absent;
    for (const Group& group : host.changed.hello.groups) {
      for (std::uint16_t i = 0; i < group.count; ++i) {
        Row row{{name, static_cast<std::uint16_t>(group.first + i)}, &host, &group, {}, age_s, {}};
        const auto found = host.samples.find(row.id.index);
        if (found != host.samples.end() && !lost) row.sample = found->second;
        if (!lost) row.models = models_on(fleet, row.id);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

Json throttle_json(double bits) {
  if (std::isnan(bits)) return {};
  constexpr std::pair<Throttle, const char*> names[] = {
      {throttle_idle, "idle"},
      {throttle_power_cap, "power_cap"},
      {throttle_hardware_slowdown, "hardware_slowdown"},
      {throttle_thermal_software, "thermal_software"},
      {throttle_thermal_hardware, "thermal_hardware"},
  };
  Json set = Json::array();
  for (const auto& [bit, name] : names) {
    if ((static_cast<std::uint32_t>(bits) & bit) != 0) set.add(name);
  }
  return set;
}

Json to_json(const Row& row) {
  const auto value = [&](Metric metric) { return Json(row.sample[metric]); };
  const auto count = [&](Metric metric) { return whole(row.sample[metric]); };
  return Json::object()
      .set("id", to_text(row.id))
      .set("device", row.group->device)
      .set("rack", row.host->changed.hello.rack)
      .set("health", to_text(row.host->changed.health))
      .set("group", row.group->number)
      .set("age_s", row.age_s)
      .set("utilization", value(Metric::utilization))
      .set("matrix_activity", value(Metric::matrix_activity))
      .set("memory_activity", value(Metric::memory_activity))
      .set("memory_used", count(Metric::memory_used))
      .set("memory_total", count(Metric::memory_total))
      .set("power_w", value(Metric::power))
      .set("power_cap_w", value(Metric::power_cap))
      .set("temperature_c", value(Metric::temperature))
      .set("clock_mhz", count(Metric::clock))
      .set("throttle", throttle_json(row.sample[Metric::throttle]))
      .set("energy_j", value(Metric::energy))
      .set("queue", count(Metric::queue))
      .set("running", count(Metric::running))
      .set("models", row.models);
}

std::string table_of(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    const auto shown = [&](Metric metric, auto&& format) {
      const double value = row.sample[metric];
      return std::isnan(value) ? std::string("-") : format(value);
    };
    const auto percent = [](double share) { return fmt::format("{:.0f}%", share * 100); };
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    cells.push_back({to_text(row.id), row.group->device,
                     std::string(to_text(row.host->changed.health)), duration_text(row.age_s),
                     shown(Metric::utilization, percent), shown(Metric::matrix_activity, percent),
                     shown(Metric::memory_used, bytes_text),
                     shown(Metric::memory_total, bytes_text), shown(Metric::power, watts_text),
                     shown(Metric::temperature, whole), shown(Metric::clock, whole),
                     shown(Metric::running, whole), row.models});
  }
  return table_text({{"ID"},
                     {"DEVICE"},
                     {"HEALTH"},
                     {"AGE", Align::right},
                     {"BUSY", Align::right},
                     {"MATRIX", Align::right},
                     {"USED", Align::right},
                     {"MEMORY", Align::right},
                     {"POWER", Align::right},
                     {"TEMP", Align::right},
                     {"MHZ", Align::right},
                     {"RUNS", Align::right},
                     {"MODELS"}},
                    cells);
}

/// Snapshots carry the last samples; a fleet that has just begun is asked again.
Result<FleetView> look(Session& session) {
  const Wall end = wall_now() + patience;
  Wall ask_again{0};
  FleetView fleet;
  while (wall_now() < end && !(fleet.whole() && fleet.sampled())) {
    if (wall_now() >= ask_again) {
      session.send(SnapshotRequest{});
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (const auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      fleet.receive(envelope);
    }
  }
  if (!fleet.whole()) return error("the router sent no whole snapshot within 5 s");
  return fleet;
}

}  // namespace

Usage devices_usage() {
  return {
      "usage: drover devices [options]",
      "One row per device, as last reported so long ago (fleet time): how busy, memory, power,\n"
      "temperature, clock, and the models loaded on it. Nothing is known of a lost device.",
      {connect_option(), {"json", "", "a JSON array on stdout"}},
      {},
      "  drover devices\n"
      "  drover devices --json"};
}

Outcome run_devices(Arguments& arguments) {
  auto session = Session::open({endpoint_of(arguments), Role::viewer, "devices"});
  if (!session) return Outcome::failed(session.error());
  const auto fleet = look(**session);
  if (!fleet) return Outcome::failed(fleet.error());
  const std::vector<Row> rows = rows_of(*fleet, (*session)->clock().now());
  if (arguments.has("json")) {
    Json array = Json::array();
    for (const Row& row : rows) array.add(to_json(row));
    put("{}\n", array.dump());
  } else {
    put_text(table_of(rows));
  }
  return Outcome::done();
}

}  // namespace drover::commands
