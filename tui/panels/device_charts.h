// Charts of a device's metrics over time.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/state/chart_span.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// One metric, or two that belong together, ready to be drawn.
struct MetricChart {
  std::string title;
  std::string short_title;  // for narrow charts; empty: as `title`
  std::string note;         // its value now, and its limit
  std::string heading;  // beside the title of a chart that shows `note` itself; empty: as `note`
  std::vector<ChartPoint> points, line;
  Chart chart;  // `area` and `line` are set when it is drawn
};

/// The charts of frame.series, without throttle reasons, most important first. `cells`: the width
/// of each of the metric_chart_count plots.
std::vector<MetricChart> metric_charts(const FrameContext& frame, DeviceTable::Row row,
                                       const TimeWindow& window, const std::vector<int>& cells);
inline constexpr int metric_chart_count = 9;

/// Draws heading, chart and time axis in `area`.
void draw_metric_chart(DrawRegion& region, const Rect& area, const MetricChart& metric,
                       const TimeWindow& window, TimeLabels labels);
/// Draws throttle reasons as letters: a heading with the legend, the strip, and its time axis. The
/// strip shows the span of the `charts`, in shorter bins if it is wider than these.
void draw_throttle_strip(DrawRegion& region, const Rect& area, const FrameContext& frame,
                         DeviceTable::Row row, const TimeWindow& charts, int chart_cells,
                         const ChartSpan& span);

}  // namespace drover::tui
