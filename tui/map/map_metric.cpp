#include "tui/map/map_metric.h"
#include "tui/canvas/pen.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr double cold_c = 20;          // assumed: about the inlet air of a machine hall
constexpr double hot_assumed_c = 100;  // of devices whose limit is not told: above those we know
// Queues differ by orders of magnitude, and the first requests that wait matter most.
constexpr double queue_hot = 100;

constexpr std::array<MapMetricFacts, map_metric_count> table = {{
    {MapMetric::utilization, "utilization", "utilization", "0%", "100%"},
    {MapMetric::useful_load, "useful-load", "useful load", "0%", "100% of peak"},
    {MapMetric::memory, "memory", "memory", "0%", "100%"},
    {MapMetric::power, "power", "power", "0%", "100% of cap"},
    {MapMetric::temperature, "temperature", "temperature", "20C", "its limit"},
    {MapMetric::queue, "queue", "queue", "0", "100, log"},
    {MapMetric::age, "age", "age of data", "0s", "stale"},
}};

MapReading in_percent(double share) { return {share, share * 100}; }

MapReading temperature_of(const Model& model, DeviceTable::Row row) {
  const double celsius = model.devices().value(row, Metric::temperature);
  const double told_c = model.spec_of(row).slowdown_c;
  const bool assumed = !(told_c > cold_c);
  const double hot_c = assumed ? hot_assumed_c : told_c;
  return {(celsius - cold_c) / (hot_c - cold_c), celsius, false, assumed};
}

MapReading queue_of(double waiting) {
  return {std::log1p(std::max(0.0, waiting)) / std::log1p(queue_hot), waiting};
}

MapReading age_of(const Model& model, Instant now, DeviceTable::Row row) {
  const Instant arrived = model.devices().arrived(row);
  if (arrived == Instant::min()) return {};
  const double age_s = std::max(0.0, to_seconds(now - arrived));
  return {age_s / to_seconds(model.stale_age()), age_s};
}

MapReading last_reading(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric) {
  const DeviceTable& devices = model.devices();
  switch (metric) {
    case MapMetric::utilization:
      return in_percent(devices.share(row, Shade::utilization));
    case MapMetric::useful_load:
      return in_percent(devices.value(row, Metric::matrix_activity));
    case MapMetric::memory:
      return in_percent(devices.share(row, Shade::memory));
    case MapMetric::power:
      return in_percent(devices.share(row, Shade::power));
    case MapMetric::temperature:
      return temperature_of(model, row);
    case MapMetric::queue: {
      const double waiting = devices.value(row, Metric::queue);
      return std::isnan(waiting) ? MapReading{} : queue_of(waiting);
    }
    case MapMetric::age:
      return age_of(model, now, row);
  }
  return {};
}

}  // namespace

std::span<const MapMetricFacts> map_metrics() { return table; }

const MapMetricFacts& facts(MapMetric metric) {
  const MapMetricFacts& row = table[static_cast<std::size_t>(metric)];
  DROVER_REQUIRE(row.metric == metric);
  return row;
}

MapReading map_reading(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric) {
  MapReading reading = last_reading(model, now, row, metric);
  // How old the last sample is holds whatever the age; of a lost host nothing holds.
  reading.fresh = metric == MapMetric::age ? !model.is_gone(row) : !model.is_stale(now, row);
  return reading;
}

DeviceTable::Row hottest_of(const Model& model, Instant now, MapMetric metric,
                            std::span<const DeviceTable::Row> rows) {
  DROVER_REQUIRE(!rows.empty());
  DeviceTable::Row hottest = rows.front();
  if (rows.size() == 1) return hottest;
  double most = absent;
  for (const DeviceTable::Row row : rows) {
    const MapReading reading = map_reading(model, now, row, metric);
    if (!reading.known() || reading.share <= most) continue;
    most = reading.share;
    hottest = row;
  }
  return hottest;
}

double mean_figure(const Model& model, Instant now, MapMetric metric,
                   std::span<const DeviceTable::Row> rows) {
  double sum = 0;
  int known = 0;
  for (const DeviceTable::Row row : rows) {
    const MapReading reading = map_reading(model, now, row, metric);
    if (!reading.known()) continue;
    sum += reading.figure;
    ++known;
  }
  return known > 0 ? sum / known : absent;
}

std::string figure_text(MapMetric metric, double figure) {
  if (std::isnan(figure)) return std::string(not_known);
  switch (metric) {
    case MapMetric::temperature:
      return fmt::format("{:.0f}C", figure);
    case MapMetric::queue:
      return figure < 10 ? fmt::format("{:.1f}", figure) : fmt::format("{:.0f}", figure);
    case MapMetric::age:
      return figure < 10 ? fmt::format("{:.1f}s", figure) : fmt::format("{:.0f}s", figure);
    default:
      return fmt::format("{:.0f}%", figure);
  }
}

}  // namespace drover::tui
