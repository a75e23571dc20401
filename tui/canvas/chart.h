// A time series on a rectangle: value axis at the left, braille area, lines for caps and limits,
// the newest value at the right edge. Values are gathered in bins that are aligned to absolute
// time, so a drawn value moves to the left and never changes its shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/sample/sample.h"
#include "tui/canvas/pen.h"

namespace drover::tui {

/// What was said of a value at an instant; NaN: that it is not known.
struct ChartPoint {
  Instant at{};
  double value = absent;
};

/// What part of time a chart shows. A cell is two bins wide; the last one holds `end`.
struct TimeWindow {
  Instant end{};
  Duration bin{1};

  /// The start of the first of so many cells.
  Instant begin(int cells) const;
};

/// The greatest value of each bin, oldest first, NaN where nothing is known. A value stands until
/// the next is said, for `holds` at most, and never beyond the window's end.
std::vector<double> bin_values(std::span<const ChartPoint> points, const TimeWindow& window,
                               int bins, Duration holds);

struct ChartScale {
  double low = 0, high = 1;
  double share(double value) const { return (value - low) / (high - low); }
};

/// From zero to a number that reads well and is not below `most`. `base`: 1000, or 1024 for bytes.
ChartScale scale_up_to(double most, double base = 1000);

struct Chart {
  std::span<const ChartPoint> area;
  // Over it, as a cap that changes; may be empty. Where the area ends in a cell of the line, the
  // cell shows the area, in the line's colour if the area reaches the line.
  std::span<const ChartPoint> line;
  double limit = absent;  // the same all along
  ChartScale scale;
  std::string (*text)(double) = nullptr;  // of the value axis; at most 6 columns
  Duration holds{};
  Role role = Role::accent;
  Role line_role = Role::warm;
};

/// Columns that the value axis takes, its rule included; 0 where the rectangle is too narrow.
int value_axis_columns(int columns);

/// `area` counts from the pen's corner.
void draw_chart(Pen& pen, const Rect& area, const Chart& chart, const TimeWindow& window);

enum class TimeLabels : std::uint8_t {
  clock,  // "14:03:20", at whole tens of seconds, minutes, ..
  ago,    // "-60s" .. "now"
};

/// Labels that stand below a chart of the same columns; they never touch each other.
void draw_time_axis(Pen& pen, int column, int row, int columns, const TimeWindow& window,
                    TimeLabels labels);

/// A kind of moment as one character: where several fall into a cell, the first of the table wins.
struct StripSign {
  std::uint32_t bits;     // of the value as an integer
  std::string_view sign;  // an ASCII character
  std::string_view name;  // for the legend
  Role role;
};

/// One character a cell: the sign of the bits that were set in it, a dot where none was, blank
/// where nothing is known.
void draw_strip(Pen& pen, int column, int row, int columns, std::span<const ChartPoint> points,
                const TimeWindow& window, Duration holds, std::span<const StripSign> signs);

}  // namespace drover::tui
