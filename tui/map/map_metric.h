// What the heat map colours devices by, as one table: names, the ends of each scale, and where a
// device stands on it. GPUs and TPUs share every scale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tui/model/model.h"

namespace drover::tui {

enum class MapMetric : std::uint8_t {
  utilization,
  useful_load,  // of the matrix units' peak
  memory,
  power,        // of the cap
  temperature,  // from cold air to where heat slows the device
  queue,
  age,  // of the last sample
};
inline constexpr int map_metric_count = 7;

struct MapMetricFacts {
  MapMetric metric;
  std::string_view word;       // as typed after `:metric`
  std::string_view name;       // for people
  std::string_view cold, hot;  // the ends of the scale, for people
};
std::span<const MapMetricFacts> map_metrics();
const MapMetricFacts& facts(MapMetric metric);

/// What the map shows of a device.
struct MapReading {
  double share = absent;   // on the scale, 0 to 1 and beyond; NaN: no data
  double figure = absent;  // as people read it: percent, C, requests or seconds
  bool fresh = false;      // it holds now: else it fades
  bool assumed = false;    // the hot end is: the device's own is not known
  bool known() const { return fresh && share == share; }
};
MapReading map_reading(const Model& model, Instant now, DeviceTable::Row row, MapMetric metric);

/// The one with the highest share that is known; the first when none is. REQUIRES rows.
DeviceTable::Row hottest_of(const Model& model, Instant now, MapMetric metric,
                            std::span<const DeviceTable::Row> rows);
/// Mean of the figures that are known; NaN when none is.
double mean_figure(const Model& model, Instant now, MapMetric metric,
                   std::span<const DeviceTable::Row> rows);
/// "64%", "61C", "12", "0.4s"; "-" for NaN.
std::string figure_text(MapMetric metric, double figure);

}  // namespace drover::tui
