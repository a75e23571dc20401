// A time series on a rectangle: value axis at the left, braille area, lines for caps and limits,
// newest value at the right edge. Values are aggregated in bins that are aligned to absolute time,
// so a drawn value moves to the left and never changes its shape.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/sample/sample.h"
#include "tui/canvas/draw_region.h"
#include "tui/canvas/time_window.h"

namespace drover::tui {

/// A value reported at an instant; NaN: unknown.
struct ChartPoint {
  Instant at{};
  double value = absent;
  Duration lasts{};  // the time that it stands for; zero: it is a sample of one instant
};

/// The greatest value of each bin, oldest first; NaN if unknown. A value is valid until the next
/// one, for `staleness_limit` or its own time at most, and never beyond the window's end.
std::vector<double> bin_values(std::span<const ChartPoint> points, const TimeWindow& window,
                               int bins, Duration staleness_limit);

/// The index of the point with the greatest value of each bin, by the same rules.
std::vector<std::optional<std::size_t>> greatest_points(std::span<const ChartPoint> points,
                                                        const TimeWindow& window, int bins,
                                                        Duration staleness_limit);

struct ChartScale {
  double low = 0, high = 1;
  double share(double value) const { return (value - low) / (high - low); }
};

/// From zero to a round number that is at least `maximum`. `base`: 1000, or 1024 for bytes.
ChartScale scale_up_to(double maximum, double base = 1000);

struct Chart {
  std::span<const ChartPoint> area;
  // A line over the area, such as a changing cap; may be empty. If the area ends in a cell of the
  // line, the cell shows the area, in the line's colour if the area reaches the line.
  std::span<const ChartPoint> line;
  double limit = absent;  // a constant line
  ChartScale scale;
  std::string (*text)(double) = nullptr;  // of the value axis; at most 6 columns
  Duration staleness_limit{};
  CellStyle style = CellStyle::accent;
  CellStyle line_style = CellStyle::warm;
  std::string limit_label;  // of the line or the limit, which it stands on; empty: none
  std::string latest;       // the newest value, at the end of the area; empty: none
  std::string missing;      // why no value is known: then it stands alone, without an axis
};

/// Whether a plot of this height has labels of its limit and its newest value.
bool has_labels(int rows);

/// Draws numbers at the top, at the bottom and, if there is room, in the middle of the area's left
/// columns, and a rule beside them. REQUIRES value_axis_columns(area.columns) > 0.
void draw_value_axis(DrawRegion& region, const Rect& area, const ChartScale& scale,
                     std::string (*text)(double));

/// Columns of the value axis with its rule; 0 if the rectangle is too narrow.
int value_axis_columns(int columns);

/// `area` is relative to the region's corner.
void draw_chart(DrawRegion& region, const Rect& area, const Chart& chart, const TimeWindow& window);

/// A condition as one character; if several apply to a cell, the first of the table is shown.
struct StripMarker {
  std::uint32_t bits;     // of the value as an integer
  std::string_view sign;  // an ASCII character
  std::string_view name;  // for the legend
  CellStyle style;
};

/// One character per cell: the sign of a bit that was set in it, a dot if none was, blank if
/// unknown.
void draw_strip(DrawRegion& region, int column, int row, int columns,
                std::span<const ChartPoint> points, const TimeWindow& window,
                Duration staleness_limit, std::span<const StripMarker> signs);

}  // namespace drover::tui
