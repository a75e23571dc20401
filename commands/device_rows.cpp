#include "commands/device_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "commands/absent.h"
#include "fleet/units.h"

namespace drover::commands {

namespace {

std::string models_on(const FleetView& fleet, const DeviceId& id) {
  std::string models;
  const auto& replicas = fleet.replicas();
  for (auto at = replicas.lower_bound({id.host, 0});
       at != replicas.end() && at->first.host == id.host; ++at) {
    for (const std::uint16_t device : at->second.replica.devices) {
      if (device == id.index) models += (models.empty() ? "" : " ") + at->second.replica.model;
    }
  }
  return models;
}

DeviceRow row_of(const FleetView& fleet, const DeviceId& id, const FleetView::Host& host,
                 const Group& group, Instant now) {
  const bool heard = host.sampled != Instant{};
  const bool lost = host.changed.health == Health::lost;
  const double age_s = heard ? std::max(0.0, to_seconds(now - host.sampled)) : absent;
  DeviceRow row{id, &host, &group, {}, age_s, {}};
  const auto found = host.samples.find(id.index);
  if (found != host.samples.end() && !lost) row.sample = found->second;
  if (!lost) row.models = models_on(fleet, id);
  return row;
}

std::string health_text(const DeviceRow& row) {
  const std::string health(to_text(row.host->changed.health));
  return row.host->drained(row.id.index) ? health + ", drained" : health;
}

const Group* group_with(const FleetView::Host& host, std::uint16_t device) {
  for (const Group& group : host.changed.hello.groups) {
    if (device >= group.first && device - group.first < group.count) return &group;
  }
  return nullptr;
}

Json throttle_json(double bits) {
  if (std::isnan(bits)) return {};
  constexpr std::pair<Throttle, const char*> names[] = {
      {throttle_idle, "idle"},
      {throttle_power_cap, "power_cap"},
      {throttle_hardware_slowdown, "hardware_slowdown"},
      {throttle_thermal_software, "thermal_software"},
      {throttle_thermal_hardware, "thermal_hardware"},
      {throttle_power_brake, "power_brake"},
  };
  Json set = Json::array();
  for (const auto& [bit, name] : names) {
    if ((static_cast<std::uint32_t>(bits) & bit) != 0) set.add(name);
  }
  return set;
}

}  // namespace

std::vector<DeviceRow> rows_of(const FleetView& fleet, Instant now) {
  std::vector<DeviceRow> rows;
  for (const auto& [name, host] : fleet.hosts()) {
    for (const Group& group : host.changed.hello.groups) {
      for (std::uint16_t i = 0; i < group.count; ++i) {
        const DeviceId id{name, static_cast<std::uint16_t>(group.first + i)};
        rows.push_back(row_of(fleet, id, host, group, now));
      }
    }
  }
  return rows;
}

std::vector<DeviceRow> rows_of(const FleetView& fleet, const SampleBatch& batch, Instant now) {
  std::vector<DeviceRow> rows;
  const auto host = fleet.hosts().find(batch.host);
  if (host == fleet.hosts().end()) return rows;
  for (const std::uint16_t device : batch.devices) {
    const Group* group = group_with(host->second, device);
    if (group == nullptr) continue;
    rows.push_back(row_of(fleet, {batch.host, device}, host->second, *group, now));
  }
  return rows;
}

Json to_json(const DeviceRow& row) {
  const auto value = [&](Metric metric) { return Json(row.sample[metric]); };
  const auto count = [&](Metric metric) { return whole(row.sample[metric]); };
  return Json::object()
      .set("id", to_text(row.id))
      .set("device", row.group->device)
      .set("rack", row.host->changed.hello.rack)
      .set("health", to_text(row.host->changed.health))
      .set("drained", row.host->drained(row.id.index))
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
      .set("memory_temperature_c", value(Metric::memory_temperature))
      .set("power_violation_s", value(Metric::power_violation))
      .set("thermal_violation_s", value(Metric::thermal_violation))
      .set("board_violation_s", value(Metric::board_violation))
      .set("models", row.models);
}

std::vector<Heading> device_headings() {
  return {{"ID"},
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
          {"MODELS"}};
}

std::vector<std::string> device_cells(const DeviceRow& row) {
  const auto shown = [&](Metric metric, auto&& format) {
    const double value = row.sample[metric];
    return std::isnan(value) ? std::string("-") : format(value);
  };
  const auto percent = [](double share) { return fmt::format("{:.0f}%", share * 100); };
  const auto integer = [](double value) { return fmt::format("{:.0f}", value); };
  return {to_text(row.id),
          row.group->device,
          health_text(row),
          duration_text(row.age_s),
          shown(Metric::utilization, percent),
          shown(Metric::matrix_activity, percent),
          shown(Metric::memory_used, bytes_text),
          shown(Metric::memory_total, bytes_text),
          shown(Metric::power, watts_text),
          shown(Metric::temperature, integer),
          shown(Metric::clock, integer),
          shown(Metric::running, integer),
          row.models};
}

}  // namespace drover::commands
