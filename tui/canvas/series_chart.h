// Several series on one axis: stacked areas, or lines. Each series has a colour and a sign of its
// own, so that they can be told apart without colours, too.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tui/canvas/chart.h"

namespace drover::tui {

inline constexpr int series_max = 6;

CellStyle series_style(int series);
/// How a stacked area of this series is filled: one column, for a legend.
std::string stack_sign(int series, bool ascii);
/// "1", "2", ..: marks the line of this series.
std::string line_sign(int series);

/// The parts of a sum; NaN: unknown.
struct StackPoint {
  Instant at{};
  Duration lasts{};
  std::array<double, series_max> parts{};
};

/// Stacks the parts, the first at the bottom. A bin shows the parts of its greatest sum. Of
/// `chart`, the area is left out.
void draw_stack(DrawRegion& region, const Rect& area, std::span<const StackPoint> points,
                const Chart& chart, const TimeWindow& window);

/// Draws a line for each series, at most series_max. Of `chart`, area and line are left out.
void draw_lines(DrawRegion& region, const Rect& area,
                std::span<const std::vector<ChartPoint>> series, const Chart& chart,
                const TimeWindow& window);

}  // namespace drover::tui
