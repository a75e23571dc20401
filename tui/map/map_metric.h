// The metrics of the heat map as one table: names, the ends of each scale, and a device's value on
// it. GPUs and TPUs share every scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

enum class MapMetric : std::uint8_t {
  utilization,
  mfu,  // model FLOPs utilization: of the matrix units' peak
  memory,
  power,        // relative to the cap
  temperature,  // from cold air to where thermal throttling begins
  queue,
  age,  // of the last sample
};
inline constexpr int map_metric_count = 7;

struct MapMetricFacts {
  MapMetric metric;
  std::string_view word;       // as typed after `:metric`
  std::string_view name;       // on the screen
  std::string_view cold, hot;  // labels of the ends of the scale
};
std::span<const MapMetricFacts> map_metrics();
const std::vector<std::string>& map_metric_words();  // in the order of MapMetric
const MapMetricFacts& facts(MapMetric metric);

/// A device's value on the map.
struct MapValue {
  double share = absent;          // on the scale, 0 to 1 and beyond; NaN: no data
  double display_value = absent;  // percent, C, requests or seconds
  bool fresh = false;             // not stale; a stale value is drawn faint
  bool assumed = false;           // the hot end is assumed, as the device's own is unknown
  bool known() const { return fresh && share == share; }
};
MapValue map_value(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric);

/// The row with the highest known share; the first row if none is known. REQUIRES !rows.empty().
DeviceTable::Row hottest_of(const Model& model, Instant now, MapMetric metric,
                            std::span<const DeviceTable::Row> rows);
/// The mean of the known display values; NaN if none is known.
double mean_map_value(const Model& model, Instant now, MapMetric metric,
                      std::span<const DeviceTable::Row> rows);
/// "64%", "61C", "12", "0.4s"; "-" for NaN.
std::string map_value_text(MapMetric metric, double display_value);

}  // namespace drover::tui
