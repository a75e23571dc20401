// A device's metrics over time, as charts that lie beside and below each other.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/state/scene.h"

namespace drover::tui {

/// One metric, or two that belong together, ready to be drawn.
struct MetricChart {
  std::string title;
  std::string note;  // its value now
  std::vector<ChartPoint> points, line;
  Chart chart;  // its spans are set when it is drawn
};

/// The part of time that charts of so many cells show up to the scene's moment: about two minutes
/// of wall time or more.
TimeWindow window_of(const Scene& scene, int cells);
/// How long a value stands: until a sample is clearly missing.
Duration stands_for(const std::vector<Instant>& at, Duration bin);

/// The metrics of the scene's series but what the strip below tells, the most important first;
/// `cells`: of the plot of each, metric_chart_count of them.
std::vector<MetricChart> metric_charts(const Scene& scene, DeviceTable::Row row,
                                       const TimeWindow& window, const std::vector<int>& cells);
inline constexpr int metric_chart_count = 9;

/// Heading, chart, and time axis below it, over the whole of `area`.
void draw_metric_chart(Pen& pen, const Rect& area, const MetricChart& metric,
                       const TimeWindow& window);
/// Throttle reasons as letters: a heading with the legend, the strip, and its time axis.
void draw_throttle_strip(Pen& pen, const Rect& area, const Scene& scene, DeviceTable::Row row,
                         const TimeWindow& window);

}  // namespace drover::tui
