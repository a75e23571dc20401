#include "commands/query/device_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/json_null.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/job_target.h"

namespace drover::commands {

namespace {

std::string models_on(const FleetView& fleet, const DeviceId& id) {
  std::string models;
  for (const Replica* replica : fleet.replicas_on(id)) {
    models += (models.empty() ? "" : " ") + replica->model;
  }
  return models;
}

/// The pause of the first replica or job on the device that makes no progress.
Pause pause_on(const FleetView& fleet, const FleetView::Host& host, const DeviceId& id) {
  for (const Replica* replica : fleet.replicas_on(id)) {
    if (replica->pause != Pause::none) return replica->pause;
  }
  const auto condition = host.conditions.find(id.index);
  const bool faulty = condition != host.conditions.end() &&
                      (!condition->second.usable || !condition->second.injected.empty());
  for (const auto& [job, placed] : host.jobs) {
    // The other devices wait for this one.
    if (faulty && placed.pause == Pause::peer) continue;
    if (placed.pause != Pause::none && lists_device(placed.place, id.index)) return placed.pause;
  }
  return Pause::none;
}

DeviceCondition standing_of(const FleetView& fleet, const FleetView::Host& host,
                            std::uint16_t device, const AsOf& at) {
  DeviceCondition standing;
  standing.health = host.changed.health;
  standing.stale_after_s = fleet.stale_after_s(at.stale_after_s);
  const auto sampled = host.sampled.find(device);
  if (sampled != host.sampled.end()) {
    standing.age_s = std::max(0.0, to_seconds(at.now - sampled->second));
  }
  const auto condition = host.conditions.find(device);
  if (condition != host.conditions.end()) {
    standing.usable = condition->second.usable;
    standing.faulty = !condition->second.injected.empty();
    standing.drained = condition->second.drained;
  }
  return standing;
}

DeviceRow row_of(const FleetView& fleet, const DeviceId& id, const FleetView::Host& host,
                 const Group& group, const AsOf& at) {
  DeviceRow row{id, &host, &group, {}, standing_of(fleet, host, id.index, at), {}, {}};
  const auto found = host.samples.find(id.index);
  if (found != host.samples.end() && is_known(row.standing)) row.sample = found->second;
  if (!is_gone(row.standing.health)) {
    row.models = models_on(fleet, id);
    row.pause = pause_on(fleet, host, id);
  }
  return row;
}

const Group* group_with(const FleetView::Host& host, std::uint16_t device) {
  for (const Group& group : host.changed.registration.groups) {
    if (device >= group.first && device - group.first < group.count) return &group;
  }
  return nullptr;
}

/// "ok", "unusable faulty", "ok, compiling".
std::string state_text(const DeviceRow& row) {
  std::string text = states_text(row.standing);
  if (row.pause != Pause::none) text += fmt::format(", {}", to_text(row.pause));
  return text;
}

Json throttle_json(double bits) {
  if (std::isnan(bits)) return {};
  constexpr std::pair<Throttle, const char*> names[] = {
      {throttle_gpu_idle, "idle"},
      {throttle_sw_power_cap, "sw_power_cap"},
      {throttle_hw_slowdown, "hw_slowdown"},
      {throttle_sw_thermal_slowdown, "sw_thermal_slowdown"},
      {throttle_hw_thermal_slowdown, "hw_thermal_slowdown"},
      {throttle_hw_power_brake, "hw_power_brake"},
  };
  Json set = Json::array();
  for (const auto& [bit, name] : names) {
    if ((static_cast<std::uint32_t>(bits) & bit) != 0) set.add(name);
  }
  return set;
}

struct OutputColumn {
  const char* heading;
  Align align;
  std::size_t width_min;  // where the table is written in several parts
  std::string (*cell)(const DeviceRow& row);
};

std::string percent_cell(double share) { return fmt::format("{:.0f}%", share * 100); }
std::string whole_cell(double value) { return fmt::format("{:.0f}", value); }

template <Metric metric, std::string (*format)(double)>
std::string metric_cell(const DeviceRow& row) {
  const double value = row.sample[metric];
  return std::isnan(value) ? "N/A" : format(value);
}

std::string id_cell(const DeviceRow& row) { return to_text(row.id); }
std::string device_cell(const DeviceRow& row) { return row.group->device; }
std::string age_cell(const DeviceRow& row) {
  return std::isnan(row.standing.age_s) ? "N/A" : duration_text(row.standing.age_s);
}
std::string models_cell(const DeviceRow& row) { return row.models; }

constexpr OutputColumn device_columns[] = {
    {"ID", Align::left, 14, id_cell},
    {"DEVICE", Align::left, 14, device_cell},
    {"STATE", Align::left, 7, state_text},
    {"AGE", Align::right, 6, age_cell},
    {"UTIL", Align::right, 4, metric_cell<Metric::utilization, percent_cell>},
    {"TENSOR", Align::right, 6, metric_cell<Metric::tensor_activity, percent_cell>},
    {"MEM USED", Align::right, 6, metric_cell<Metric::memory_used, bytes_text>},
    {"MEM TOTAL", Align::right, 6, metric_cell<Metric::memory_total, bytes_text>},
    {"POWER", Align::right, 6, metric_cell<Metric::power, watts_text>},
    {"TEMP", Align::right, 4, metric_cell<Metric::temperature, whole_cell>},
    {"MHZ", Align::right, 5, metric_cell<Metric::clock, whole_cell>},
    {"RUNNING", Align::right, 4, metric_cell<Metric::running, whole_cell>},
    {"MODELS", Align::left, 0, models_cell},
};

}  // namespace

std::vector<DeviceRow> rows_of(const FleetView& fleet, const AsOf& at) {
  std::vector<DeviceRow> rows;
  std::vector<const std::string*> names;
  for (const auto& [name, host] : fleet.hosts()) names.push_back(&name);
  std::sort(names.begin(), names.end(),
            [](const std::string* a, const std::string* b) { return natural_less(*a, *b); });
  for (const std::string* const name : names) {
    const FleetView::Host& host = fleet.hosts().at(*name);
    for (const Group& group : host.changed.registration.groups) {
      for (std::uint16_t i = 0; i < group.count; ++i) {
        const DeviceId id{*name, static_cast<std::uint16_t>(group.first + i)};
        rows.push_back(row_of(fleet, id, host, group, at));
      }
    }
  }
  return rows;
}

std::vector<DeviceRow> rows_of(const FleetView& fleet, const SampleBatch& batch, const AsOf& at) {
  std::vector<DeviceRow> rows;
  const auto host = fleet.hosts().find(batch.host);
  if (host == fleet.hosts().end()) return rows;
  for (const std::uint16_t device : batch.devices) {
    const Group* group = group_with(host->second, device);
    if (group == nullptr) continue;
    rows.push_back(row_of(fleet, {batch.host, device}, host->second, *group, at));
  }
  return rows;
}

Json to_json(const DeviceRow& row) {
  Json json = Json::object()
                  .set("id", to_text(row.id))
                  .set("device", row.group->device)
                  .set("rack", row.host->changed.registration.rack)
                  .set("state", states_text(row.standing))
                  .set("health", to_text(row.host->changed.health))
                  .set("usable", row.standing.usable)
                  .set("drained", row.standing.drained)
                  .set("group", row.group->number)
                  .set("age_s", row.standing.age_s)
                  .set("pause", row.pause == Pause::none ? Json() : Json(to_text(row.pause)));
  for (const MetricKey& key : metric_keys) {
    const double value = row.sample[key.metric];
    if (key.metric == Metric::throttle) {
      json.set("throttle", throttle_json(value));
    } else {
      json.set(key.name, key.whole ? whole(value) : Json(value));
    }
  }
  return json.set("models", row.models);
}

Json to_json(const std::vector<DeviceRow>& rows) {
  Json array = Json::array();
  for (const DeviceRow& row : rows) array.add(to_json(row));
  return array;
}

std::vector<Heading> device_headings(bool in_parts) {
  std::vector<Heading> headings;
  for (const OutputColumn& column : device_columns) {
    headings.push_back({column.heading, column.align, in_parts ? column.width_min : 0});
  }
  return headings;
}

std::vector<std::string> device_cells(const DeviceRow& row) {
  std::vector<std::string> cells;
  for (const OutputColumn& column : device_columns) cells.push_back(column.cell(row));
  return cells;
}

std::string to_table(const std::vector<DeviceRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const DeviceRow& row : rows) cells.push_back(device_cells(row));
  return table_text(device_headings(false), cells);
}

}  // namespace drover::commands
