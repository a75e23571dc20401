#include "tui/map/map_metric.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {
namespace {

constexpr double cold_c = 20;          // assumed: about the inlet air of a data centre
constexpr double hot_assumed_c = 100;  // of devices without a known limit; above all known limits
// Logarithmic: queues differ by orders of magnitude, and the first waiting requests matter most.
constexpr double queue_hot = 100;

constexpr std::array<MapMetricFacts, map_metric_count> map_metric_table = {{
    {MapMetric::utilization, "utilization", "utilization", "0%", "100%"},
    {MapMetric::mfu, "mfu", "MFU", "0%", "100% of peak"},
    {MapMetric::memory, "memory", "memory", "0%", "100%"},
    {MapMetric::power, "power", "power", "0%", "100% of cap"},
    {MapMetric::temperature, "temperature", "temperature", "20C", "its limit"},
    {MapMetric::queue, "queue", "queue", "0", "100, log"},
    {MapMetric::age, "age", "age of data", "0s", "stale"},
}};
static_assert(is_in_order(map_metric_table, &MapMetricFacts::metric));

MapValue in_percent(double share) { return {share, share * 100}; }

MapValue temperature_of(const Model& model, DeviceTable::Row row) {
  const double celsius = model.devices().value(row, Metric::temperature);
  const double limit_c = model.spec_of(row).slowdown_c;
  const bool assumed = !(limit_c > cold_c);
  const double hot_c = assumed ? hot_assumed_c : limit_c;
  return {(celsius - cold_c) / (hot_c - cold_c), celsius, false, assumed};
}

MapValue queue_of(double waiting) {
  return {std::log1p(std::max(0.0, waiting)) / std::log1p(queue_hot), waiting};
}

MapValue age_of(const Model& model, Instant now, DeviceTable::Row row) {
  const Instant arrived = model.devices().arrived(row);
  if (arrived == Instant::min()) return {};
  const double age_s = std::max(0.0, to_seconds(now - arrived));
  return {age_s / to_seconds(model.stale_age(model.host_of(row))), age_s};
}

MapValue last_reading(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric) {
  const DeviceTable& devices = model.devices();
  switch (metric) {
    case MapMetric::utilization:
      return in_percent(devices.share(row, GaugeMetric::utilization));
    case MapMetric::mfu:
      return in_percent(devices.value(row, Metric::tensor_activity));
    case MapMetric::memory:
      return in_percent(devices.share(row, GaugeMetric::memory));
    case MapMetric::power:
      return in_percent(devices.share(row, GaugeMetric::power));
    case MapMetric::temperature:
      return temperature_of(model, row);
    case MapMetric::queue: {
      const double waiting = devices.value(row, Metric::queue);
      return std::isnan(waiting) ? MapValue{} : queue_of(waiting);
    }
    case MapMetric::age:
      return age_of(model, now, row);
  }
  return {};
}

}  // namespace

std::span<const MapMetricFacts> map_metrics() { return map_metric_table; }

const std::vector<std::string>& map_metric_words() {
  static const std::vector<std::string> words = names_of(map_metric_table, &MapMetricFacts::word);
  return words;
}

const MapMetricFacts& facts(MapMetric metric) { return row_at(map_metric_table, metric); }

MapValue map_value(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric) {
  MapValue reading = last_reading(model, now, row, metric);
  // The age of the last sample is never stale itself, except for a lost host.
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
    const MapValue reading = map_value(model, now, row, metric);
    if (!reading.known() || reading.share <= most) continue;
    most = reading.share;
    hottest = row;
  }
  return hottest;
}

double mean_map_value(const Model& model, Instant now, MapMetric metric,
                      std::span<const DeviceTable::Row> rows) {
  double sum = 0;
  int known = 0;
  for (const DeviceTable::Row row : rows) {
    const MapValue reading = map_value(model, now, row, metric);
    if (!reading.known()) continue;
    sum += reading.display_value;
    ++known;
  }
  return known > 0 ? sum / known : absent;
}

std::string map_value_text(MapMetric metric, double display_value) {
  if (std::isnan(display_value)) return std::string(not_known);
  switch (metric) {
    case MapMetric::temperature:
      return fmt::format("{:.0f}C", display_value);
    case MapMetric::queue:
      return display_value < 10 ? fmt::format("{:.1f}", display_value)
                                : fmt::format("{:.0f}", display_value);
    case MapMetric::age:
      return display_value < 10 ? fmt::format("{:.1f}s", display_value)
                                : fmt::format("{:.0f}s", display_value);
    default:
      return fmt::format("{:.0f}%", display_value);
  }
}

}  // namespace drover::tui
