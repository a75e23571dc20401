#include "tui/canvas/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace drover::tui {
namespace {

constexpr int label_columns = 6;         // the longest texts of fleet/base/units.h
constexpr int chart_columns_least = 22;  // narrower charts have no value axis
constexpr int dots_per_cell = 4;         // of braille, one above the other

std::int64_t floor_div(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

std::int64_t bin_of(Instant at, Duration bin) {
  return floor_div(at.time_since_epoch().count(), std::max<std::int64_t>(1, bin.count()));
}

/// The first of `bins` bins, the last two of which share the cell that contains the window's end.
std::int64_t first_bin(const TimeWindow& window, int bins) {
  return (floor_div(bin_of(window.end, window.bin), 2) + 1) * 2 - bins;
}

/// Calls `put(bin, value)` for every bin in which a known value is valid.
template <typename Put>
void each_bin(std::span<const ChartPoint> points, const TimeWindow& window, int bins,
              Duration staleness_limit, Put&& put) {
  const std::int64_t first = first_bin(window, bins);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ChartPoint& point = points[i];
    if (point.at > window.end) break;
    if (std::isnan(point.value)) continue;
    const std::int64_t from = bin_of(point.at, window.bin);
    const Instant held = std::min(saturating_add(point.at, staleness_limit), window.end);
    std::int64_t to = bin_of(held, window.bin);
    if (i + 1 < points.size()) {
      to = std::min(to, bin_of(points[i + 1].at, window.bin) - 1);
    }
    for (std::int64_t bin = std::max(from, first); bin <= std::max(from, to); ++bin) {
      if (bin - first < bins) put(static_cast<std::size_t>(bin - first), point.value);
    }
  }
}

/// The braille character with this many dots from the bottom in its left and its right column.
std::string braille(int left, int right) {
  static constexpr std::array<unsigned, 5> left_bits = {0, 0x40, 0x44, 0x46, 0x47};
  static constexpr std::array<unsigned, 5> right_bits = {0, 0x80, 0xA0, 0xB0, 0xB8};
  const unsigned code = 0x2800 + (left_bits[static_cast<std::size_t>(left)] |
                                  right_bits[static_cast<std::size_t>(right)]);
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
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
        region.ascii() ? std::string(filled_ascii(std::max(left, right))) : braille(left, right),
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
};

/// Draws numbers at the top, at the bottom and, if there is room, in the middle; and a line beside
/// them.
void draw_value_axis(DrawRegion& region, const Rect& area, const Chart& chart, int columns) {
  for (int row = 0; row < area.rows; ++row) {
    region.text(area.column + columns - 1, area.row + row, region.ascii() ? "|" : "│",
                CellStyle::faint);
  }
  const auto label = [&](int row, double share) {
    const double value = chart.scale.low + share * (chart.scale.high - chart.scale.low);
    region.field(area.column, area.row + row, columns - 1, chart.text(value), CellStyle::faint,
                 Align::right);
    region.text(area.column + columns - 1, area.row + row, region.ascii() ? "+" : "┤",
                CellStyle::faint);
  };
  label(0, 1);
  if (area.rows > 1) label(area.rows - 1, 0);
  // Only an odd number of rows has a middle row.
  if (area.rows >= 5 && area.rows % 2 == 1) label(area.rows / 2, 0.5);
}

constexpr std::int64_t day_s = 86'400;
constexpr std::array<std::int64_t, 20> tick_steps_s = {
    1,   2,     5,     10,    15,     30,     60,     120,   300,       600,
    900, 1'800, 3'600, 7'200, 10'800, 21'600, 43'200, day_s, 2 * day_s, 7 * day_s};

/// The smallest step of the table at which labels of `width` do not touch; zero if there is none.
Duration tick_step(Duration cell, int width) {
  for (const std::int64_t step_s : tick_steps_s) {
    const Duration step = std::chrono::seconds(step_s);
    if (step >= cell * (width + 2)) return step;
  }
  return {};
}

/// "14:03:20", "14:03" or "11-21": what differs between ticks that are so far apart.
std::string tick_text(Instant at, Duration step) {
  if (step < std::chrono::minutes(1)) return to_clock_text(at).substr(0, 8);
  if (step < std::chrono::seconds(day_s)) return to_clock_text(at).substr(0, 5);
  const std::chrono::sys_days day(std::chrono::floor<std::chrono::days>(at.time_since_epoch()));
  const std::chrono::year_month_day date(day);
  return fmt::format("{:02}-{:02}", static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

void draw_clock_labels(DrawRegion& region, int column, int row, int columns,
                       const TimeWindow& window) {
  const Duration cell = 2 * window.bin;
  Duration step = tick_step(cell, 8);
  // Dates are shorter than times.
  if (step > std::chrono::seconds(day_s))
    step = std::max<Duration>(tick_step(cell, 5), std::chrono::seconds(day_s));
  if (step == Duration{}) return;
  const Instant begin = window.begin(columns);
  for (std::int64_t tick = bin_of(begin, step);; ++tick) {
    const Instant at{step * tick};
    if (at > window.end) break;
    const std::int64_t place = floor_div((at - begin).count(), cell.count());
    const std::string label = tick_text(at, step);
    const int width = static_cast<int>(label.size());
    const int from = static_cast<int>(place) - width / 2;
    if (place < 0 || from < 0 || from + width > columns) continue;
    region.text(column + from, row, label, CellStyle::faint);
  }
}

std::string ago_text(Duration ago) {
  const std::int64_t s = std::chrono::duration_cast<std::chrono::seconds>(ago).count();
  if (s % 3'600 == 0) return fmt::format("-{}h", s / 3'600);
  if (s % 60 == 0) return fmt::format("-{}m", s / 60);
  return fmt::format("-{}s", s);
}

void draw_ago_labels(DrawRegion& region, int column, int row, int columns,
                     const TimeWindow& window) {
  const Duration cell = 2 * window.bin;
  if (columns >= 3) region.text(column + columns - 3, row, "now", CellStyle::faint);
  const Duration step = tick_step(cell, 6);
  if (step == Duration{}) return;
  for (int number = 1;; ++number) {
    const auto back = static_cast<int>(step * number / cell);
    const std::string label = ago_text(step * number);
    const int width = static_cast<int>(label.size());
    const int from = columns - 1 - back - width / 2;
    if (from < 0) break;
    if (from + width <= columns - 4) region.text(column + from, row, label, CellStyle::faint);
  }
}

}  // namespace

Instant TimeWindow::begin(int cells) const { return Instant{bin * first_bin(*this, 2 * cells)}; }

std::vector<double> bin_values(std::span<const ChartPoint> points, const TimeWindow& window,
                               int bins, Duration staleness_limit) {
  std::vector<double> values(static_cast<std::size_t>(std::max(0, bins)), absent);
  each_bin(points, window, bins, staleness_limit, [&](std::size_t bin, double value) {
    if (!(values[bin] >= value)) values[bin] = value;
  });
  return values;
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

int value_axis_columns(int columns) {
  return columns >= chart_columns_least ? label_columns + 1 : 0;
}

void draw_chart(DrawRegion& region, const Rect& area, const Chart& chart,
                const TimeWindow& window) {
  const int axis = chart.text == nullptr ? 0 : value_axis_columns(area.columns);
  const Rect plot_area{area.column + axis, area.row, area.columns - axis, area.rows};
  if (plot_area.columns <= 0 || area.rows <= 0) return;
  if (axis > 0) draw_value_axis(region, area, chart, axis);
  const int bins = 2 * plot_area.columns;
  Plot plot{region, plot_area};
  plot.fill(bin_values(chart.area, window, bins, chart.staleness_limit), chart.scale, chart.style);
  const std::vector<double> line = bin_values(chart.line, window, bins, chart.staleness_limit);
  for (int cell = 0; cell < plot_area.columns; ++cell) {
    plot.rule(cell, chart.limit, chart.scale, chart.line_style);
    const auto bin = 2 * static_cast<std::size_t>(cell);
    plot.rule(cell, std::isnan(line[bin + 1]) ? line[bin] : line[bin + 1], chart.scale,
              chart.line_style);
  }
}

void draw_time_axis(DrawRegion& region, int column, int row, int columns, const TimeWindow& window,
                    TimeLabels labels) {
  if (labels == TimeLabels::clock) {
    draw_clock_labels(region, column, row, columns, window);
  } else {
    draw_ago_labels(region, column, row, columns, window);
  }
}

void draw_strip(DrawRegion& region, int column, int row, int columns,
                std::span<const ChartPoint> points, const TimeWindow& window,
                Duration staleness_limit, std::span<const StripMarker> signs) {
  constexpr std::uint32_t known = 1u << 31;  // an extra bit: the value is known
  std::vector<std::uint32_t> cells(static_cast<std::size_t>(std::max(0, columns)), 0);
  each_bin(points, window, 2 * columns, staleness_limit, [&](std::size_t bin, double value) {
    cells[bin / 2] |= known | static_cast<std::uint32_t>(std::clamp(value, 0.0, 2e9));
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
