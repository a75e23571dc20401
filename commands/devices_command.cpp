// `drover devices`: one row per device, as last reported.
#include <cmath>

#include <fmt/format.h>

#include "commands/fleet_view.h"
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
  Sample sample;
  std::string models;  // of the replicas on it
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

std::vector<Row> rows_of(const FleetView& fleet) {
  std::vector<Row> rows;
  for (const auto& [name, host] : fleet.hosts()) {
    for (const Group& group : host.changed.hello.groups) {
      for (std::uint16_t i = 0; i < group.count; ++i) {
        Row row{{name, static_cast<std::uint16_t>(group.first + i)}, &host, &group, {}, {}};
        if (const auto found = host.samples.find(row.id.index); found != host.samples.end()) {
          row.sample = found->second;
        }
        row.models = models_on(fleet, row.id);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

Json to_json(const Row& row) {
  const auto value = [&](Metric metric) { return Json(row.sample[metric]); };
  return Json::object()
      .set("id", to_text(row.id))
      .set("device", row.group->device)
      .set("rack", row.host->changed.hello.rack)
      .set("health", to_text(row.host->changed.health))
      .set("group", row.group->number)
      .set("utilization", value(Metric::utilization))
      .set("matrix_activity", value(Metric::matrix_activity))
      .set("memory_activity", value(Metric::memory_activity))
      .set("memory_used", value(Metric::memory_used))
      .set("memory_total", value(Metric::memory_total))
      .set("power_w", value(Metric::power))
      .set("power_cap_w", value(Metric::power_cap))
      .set("temperature_c", value(Metric::temperature))
      .set("clock_mhz", value(Metric::clock))
      .set("throttle", value(Metric::throttle))
      .set("energy_j", value(Metric::energy))
      .set("queue", value(Metric::queue))
      .set("running", value(Metric::running))
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
    cells.push_back(
        {to_text(row.id), row.group->device, std::string(to_text(row.host->changed.health)),
         shown(Metric::utilization, percent), shown(Metric::matrix_activity, percent),
         shown(Metric::memory_used, bytes_text), shown(Metric::memory_total, bytes_text),
         shown(Metric::power, watts_text), shown(Metric::temperature, whole),
         shown(Metric::clock, whole), shown(Metric::running, whole), row.models});
  }
  return table_text({{"ID"},
                     {"DEVICE"},
                     {"HEALTH"},
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
  return {"usage: drover devices [options]",
          "One row per device, as last reported: how busy, memory, power, temperature, clock, and\n"
          "the models loaded on it.",
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
  const std::vector<Row> rows = rows_of(*fleet);
  if (arguments.has("json")) {
    Json array = Json::array();
    for (const Row& row : rows) array.add(to_json(row));
    fmt::print("{}\n", array.dump());
  } else {
    fmt::print("{}", table_of(rows));
  }
  return Outcome::done();
}

}  // namespace drover::commands
