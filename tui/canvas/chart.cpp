#include "tui/canvas/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tui/canvas/braille.h"

namespace drover::tui {
namespace {

constexpr int label_columns = 6;         // the longest texts of fleet/base/units.h
constexpr int chart_columns_least = 22;  // narrower charts have no value axis
constexpr int labelled_rows_least = 3;   // lower plots have no labels in them
constexpr int latest_columns_least = 8;  // right of the label of a limit

/// Calls `put(bin, index)` for every bin in which a point of a known value is valid.
template <typename Put>
void each_bin(std::span<const ChartPoint> points, const TimeWindow& window, int bins,
              Duration staleness_limit, Put&& put) {
  const std::int64_t first = window.first_bin(bins);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ChartPoint& point = points[i];
    if (point.at > window.end) break;
    if (std::isnan(point.value)) continue;
    const std::int64_t from = window.bin_of(point.at);
    const Instant held = std::min(
        saturating_add(point.at, std::max(staleness_limit, point.lasts - Duration(1))), window.end);
    std::int64_t to = window.bin_of(held);
    if (i + 1 < points.size()) {
      to = std::min(to, window.bin_of(points[i + 1].at) - 1);
    }
    for (std::int64_t bin = std::max(from, first); bin <= std::max(from, to); ++bin) {
      if (bin - first < bins) put(static_cast<std::size_t>(bin - first), i);
    }
  }
}

/// The braille character with this many dots from the bottom in its left and its right column.
std::string filled_braille(int left, int right) {
  static constexpr std::array<unsigned, 5> left_bits = {0, 0x40, 0x44, 0x46, 0x47};
  static constexpr std::array<unsigned, 5> right_bits = {0, 0x80, 0xA0, 0xB0, 0xB8};
  return braille(left_bits[static_cast<std::size_t>(left)] |
                 right_bits[static_cast<std::size_t>(right)]);
}

/// The ASCII character for a number of dots of four.
std::string_view filled_ascii(int dots) {
  static constexpr std::array<std::string_view, 5> steps = {" ", ".", ":", "+", "#"};
  return steps[static_cast<std::size_t>(dots)];
}

/// The height of a value in dots: at least one, so that zero differs from unknown.
int height_of(double value, const ChartScale& scale, int rows) {
  const int height_max = dots_per_cell * rows;
  const double share = std::clamp(scale.share(value), 0.0, 1.0);
  return std::clamp(static_cast<int>(std::lround(share * height_max)), 1, height_max);
}

struct Plot {
  DrawRegion& region;
  const Rect& area;
  using Dots = std::array<int, 2>;  // heights of a cell's halves; 0: unknown
  std::vector<Dots> cells{};

  void put(int cell, int row, std::string_view sign, CellStyle style) {
    region.text(area.column + cell, area.row + area.rows - 1 - row, sign, style);
  }

  /// Draws the part of a cell that the area fills.
  void put_filled(int cell, int row, CellStyle style) {
    const Dots& dots = cells[static_cast<std::size_t>(cell)];
    const int left = std::clamp(dots[0] - dots_per_cell * row, 0, dots_per_cell);
    const int right = std::clamp(dots[1] - dots_per_cell * row, 0, dots_per_cell);
    if (left + right == 0) return;
    put(cell, row,
        region.ascii() ? std::string(filled_ascii(std::max(left, right)))
                       : filled_braille(left, right),
        style);
  }

  void fill(const std::vector<double>& values, const ChartScale& scale, CellStyle style) {
    cells.assign(static_cast<std::size_t>(area.columns), Dots{});
    for (std::size_t bin = 0; bin < values.size(); ++bin) {
      if (std::isnan(values[bin])) continue;
      cells[bin / 2][bin % 2] = height_of(values[bin], scale, area.rows);
    }
    for (int cell = 0; cell < area.columns; ++cell) {
      for (int row = 0; row < area.rows; ++row) put_filled(cell, row, style);
    }
  }

  /// Draws a line at the value's height. If the area ends in the same cell, the cell shows the area
  /// instead, in the line's colour if the area reaches it.
  void rule(int cell, double value, const ChartScale& scale, CellStyle style) {
    if (std::isnan(value) || scale.share(value) > 1) return;
    const int dot = height_of(value, scale, area.rows) - 1;
    const int row = dot / dots_per_cell;
    const auto [low, high] = std::minmax_element(cells[static_cast<std::size_t>(cell)].begin(),
                                                 cells[static_cast<std::size_t>(cell)].end());
    const bool above = *high <= dots_per_cell * row;
    const bool within = *low > dots_per_cell * (row + 1);
    if (!above && !within) {
      if (*high > dot) put_filled(cell, row, style);
      return;
    }
    const int third = (dot % dots_per_cell + 1) / 2;  // of the cell: 0 bottom, 1 middle, 2 top
    static constexpr std::array<std::string_view, 3> lines = {"▁", "─", "▔"};
    static constexpr std::array<std::string_view, 3> ascii_lines = {"_", "-", "-"};
    const auto place = static_cast<std::size_t>(third);
    put(cell, row, region.ascii() ? ascii_lines[place] : lines[place], style);
  }

  /// Draws the name of a line on it, where it begins.
  void label_limit(int first, double value, const ChartScale& scale, const std::string& label,
                   CellStyle style) {
    const int columns = columns_of(label) + 2;
    if (std::isnan(value) || scale.share(value) > 1 || !has_labels(area.rows)) return;
    if (label.empty() || first + columns + latest_columns_least > area.columns) return;
    put(first + 1, (height_of(value, scale, area.rows) - 1) / dots_per_cell, " " + label + " ",
        style);
  }

  /// Draws the newest value above the end of the area, or on its top row if it is full.
  void label_latest(const std::string& label) {
    const int columns = columns_of(label);
    if (columns == 0 || columns > area.columns || !has_labels(area.rows)) return;
    int height = 0;
    for (int cell = area.columns - columns; cell < area.columns; ++cell) {
      const Dots& dots = cells[static_cast<std::size_t>(cell)];
      height = std::max({height, dots[0], dots[1]});
    }
    const int above = (height + dots_per_cell - 1) / dots_per_cell;
    put(area.columns - columns, std::min(above, area.rows - 1), label, CellStyle::strong);
  }
};

bool is_unknown(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

/// Draws the reason at the place of the plot: an axis would be invented.
void draw_missing(DrawRegion& region, const Rect& area, int axis, const std::string& reason) {
  const int columns = area.columns - axis;
  std::string text = std::string(not_known) + ": " + reason;
  int row = area.row + std::max(0, (area.rows - 1) / 2);
  const int last = area.row + area.rows - 1;
  while (!text.empty() && row <= last) {
    // Lines end at words; only the last one may be cut.
    std::size_t end = text.size();
    if (columns_of(text) > columns && row < last) {
      end = text.rfind(' ', static_cast<std::size_t>(columns));
      if (end == std::string::npos || end == 0) end = text.size();
    }
    region.field(area.column + axis, row, columns, text.substr(0, end), CellStyle::faint);
    text = end >= text.size() ? std::string() : text.substr(end + 1);
    ++row;
  }
}

}  // namespace

std::vector<double> bin_values(std::span<const ChartPoint> points, const TimeWindow& window,
                               int bins, Duration staleness_limit) {
  std::vector<double> values(static_cast<std::size_t>(std::max(0, bins)), absent);
  each_bin(points, window, bins, staleness_limit, [&](std::size_t bin, std::size_t point) {
    if (!(values[bin] >= points[point].value)) values[bin] = points[point].value;
  });
  return values;
}

std::vector<std::optional<std::size_t>> greatest_points(std::span<const ChartPoint> points,
                                                        const TimeWindow& window, int bins,
                                                        Duration staleness_limit) {
  std::vector<std::optional<std::size_t>> greatest(static_cast<std::size_t>(std::max(0, bins)));
  each_bin(points, window, bins, staleness_limit, [&](std::size_t bin, std::size_t point) {
    if (!greatest[bin] || points[*greatest[bin]].value < points[point].value) greatest[bin] = point;
  });
  return greatest;
}

ChartScale scale_up_to(double maximum, double base) {
  if (!(maximum > 0) || !std::isfinite(maximum)) return {0, 1};
  // Round steps between powers of 1000; for bytes, powers of two.
  double unit = 1;
  while (maximum > unit * base) unit *= base;
  while (maximum <= unit / base * (base == 1024 ? 512 : 500)) unit /= base;
  if (base == 1024) {
    double high = unit;
    while (high < maximum) high *= 2;
    while (high / 2 >= maximum) high /= 2;
    return {0, high};
  }
  for (const double step :
       {1.0,  1.5,  2.0,  3.0,  4.0,   5.0,   6.0,   8.0,   10.0,  15.0,  20.0,  30.0,
        40.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0, 300.0, 400.0, 500.0, 600.0, 800.0}) {
    if (unit * step >= maximum) return {0, unit * step};
  }
  return {0, unit * base};
}

bool has_labels(int rows) { return rows >= labelled_rows_least; }

int value_axis_columns(int columns) {
  return columns >= chart_columns_least ? label_columns + 1 : 0;
}

void draw_value_axis(DrawRegion& region, const Rect& area, const ChartScale& scale,
                     std::string (*text)(double)) {
  const int rule = area.column + value_axis_columns(area.columns) - 1;
  for (int row = 0; row < area.rows; ++row) {
    region.text(rule, area.row + row, region.ascii() ? "|" : "│", CellStyle::faint);
  }
  const auto label = [&](int row, double share) {
    const double value = scale.low + share * (scale.high - scale.low);
    region.field(area.column, area.row + row, rule - area.column, text(value), CellStyle::faint,
                 Align::right);
    region.text(rule, area.row + row, region.ascii() ? "+" : "┤", CellStyle::faint);
  };
  label(0, 1);
  if (area.rows > 1) label(area.rows - 1, 0);
  // Only an odd number of rows has a middle row.
  if (area.rows >= 5 && area.rows % 2 == 1) label(area.rows / 2, 0.5);
}

void draw_chart(DrawRegion& region, const Rect& area, const Chart& chart,
                const TimeWindow& window) {
  const int axis = chart.text == nullptr ? 0 : value_axis_columns(area.columns);
  const Rect plot_area{area.column + axis, area.row, area.columns - axis, area.rows};
  if (plot_area.columns <= 0 || area.rows <= 0) return;
  const int bins = 2 * plot_area.columns;
  const std::vector<double> values = bin_values(chart.area, window, bins, chart.staleness_limit);
  const std::vector<double> line = bin_values(chart.line, window, bins, chart.staleness_limit);
  if (!chart.missing.empty() && is_unknown(values) && is_unknown(line)) {
    draw_missing(region, area, axis, chart.missing);
    return;
  }
  if (axis > 0) draw_value_axis(region, area, chart.scale, chart.text);
  Plot plot{region, plot_area};
  plot.fill(values, chart.scale, chart.style);
  int first_limited = 0;
  double first_limit = chart.limit;
  for (int cell = 0; cell < plot_area.columns; ++cell) {
    plot.rule(cell, chart.limit, chart.scale, chart.line_style);
    const auto bin = 2 * static_cast<std::size_t>(cell);
    const double value = std::isnan(line[bin + 1]) ? line[bin] : line[bin + 1];
    plot.rule(cell, value, chart.scale, chart.line_style);
    if (!std::isnan(first_limit) || std::isnan(value)) continue;
    first_limit = value;
    first_limited = cell;
  }
  plot.label_limit(first_limited, first_limit, chart.scale, chart.limit_label, chart.line_style);
  if (!std::isnan(values.back()) || !std::isnan(values[values.size() - 2])) {
    plot.label_latest(chart.latest);
  }
}

void draw_strip(DrawRegion& region, int column, int row, int columns,
                std::span<const ChartPoint> points, const TimeWindow& window,
                Duration staleness_limit, std::span<const StripMarker> signs) {
  constexpr std::uint32_t known = 1u << 31;  // an extra bit: the value is known
  std::vector<std::uint32_t> cells(static_cast<std::size_t>(std::max(0, columns)), 0);
  each_bin(points, window, 2 * columns, staleness_limit, [&](std::size_t bin, std::size_t point) {
    cells[bin / 2] |= known | static_cast<std::uint32_t>(std::clamp(points[point].value, 0.0, 2e9));
  });
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell] == 0) continue;
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](const StripMarker& candidate) {
      return (candidate.bits & cells[cell]) != 0;
    });
    if (sign != signs.end()) {
      region.text(column + static_cast<int>(cell), row, sign->sign, sign->style);
    } else {
      region.text(column + static_cast<int>(cell), row, region.ascii() ? "." : "·",
                  CellStyle::faint);
    }
  }
}

}  // namespace drover::tui
