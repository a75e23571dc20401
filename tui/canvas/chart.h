// A time series on a rectangle: value axis at the left, braille area, lines for caps and limits,
// newest value at the right edge. Values are aggregated in bins that are aligned to absolute time,
// so a drawn value moves to the left and never changes its shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/sample/sample.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// A value reported at an instant; NaN: unknown.
struct ChartPoint {
  Instant at{};
  double value = absent;
};

/// The time span that a chart shows. A cell is two bins wide; the last one contains `end`.
struct TimeWindow {
  Instant end{};
  Duration bin{1};

  /// The begin of the first of `cells` cells.
  Instant begin(int cells) const;
};

/// The greatest value of each bin, oldest first; NaN if unknown. A value is valid until the next
/// one, for `staleness_limit` at most, and never beyond the window's end.
std::vector<double> bin_values(std::span<const ChartPoint> points, const TimeWindow& window,
                               int bins, Duration staleness_limit);

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
};

/// Columns of the value axis with its rule; 0 if the rectangle is too narrow.
int value_axis_columns(int columns);

/// `area` is relative to the region's corner.
void draw_chart(DrawRegion& region, const Rect& area, const Chart& chart, const TimeWindow& window);

enum class TimeLabels : std::uint8_t {
  clock,  // "14:03:20", at whole tens of seconds, minutes, ..
  ago,    // "-60s" .. "now"
};

/// Labels below a chart of the same columns; they never touch each other.
void draw_time_axis(DrawRegion& region, int column, int row, int columns, const TimeWindow& window,
                    TimeLabels labels);

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
