#include "tui/canvas/series_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fleet/base/result.h"
#include "tui/canvas/braille.h"

namespace drover::tui {
namespace {

constexpr int mark_distance = 12;  // cells between the signs on a line
constexpr int mark_shift = 3;      // of the next line, so that signs are beside each other

// Braille dots from the bottom up, of the left and the right half of a cell.
constexpr std::array<std::array<unsigned, dots_per_cell>, 2> dot_bits = {
    {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}};

struct SeriesLook {
  CellStyle style;
  unsigned pattern;  // the braille dots of a filled cell
  char ascii;
};
constexpr std::array<SeriesLook, series_max> looks = {{
    {CellStyle::accent, 0xFF, '#'},
    {CellStyle::good, 0x95, '+'},
    {CellStyle::fault, 0x2D, '='},
    {CellStyle::strong, 0x47, ':'},
    {CellStyle::hot, 0x82, 'o'},
    {CellStyle::faint, 0xC0, '.'},
}};

const SeriesLook& look_of(int series) {
  DROVER_REQUIRE(series >= 0 && series < series_max);
  return looks[static_cast<std::size_t>(series)];
}

/// The dots of one cell, and how many belong to each series.
struct DottedCell {
  unsigned dots = 0;
  std::array<int, series_max> counts{};

  void add(int series, unsigned bits) {
    dots |= bits;
    ++counts[static_cast<std::size_t>(series)];
  }
  int count() const {
    int sum = 0;
    for (const int of_series : counts) sum += of_series;
    return sum;
  }
  /// That has most of the cell.
  int series() const {
    return static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }
};

/// The cells of a plot, by column and then by row from the bottom up.
class DottedPlot {
 public:
  explicit DottedPlot(const Rect& area)
      : area_(area), cells_(static_cast<std::size_t>(area.columns * area.rows)) {}

  int height() const { return area_.rows * dots_per_cell; }
  /// The cell of a dot of a bin, and the dot's bit in it.
  DottedCell& at(std::size_t bin, int dot) {
    return cells_[bin / 2 * static_cast<std::size_t>(area_.rows) +
                  static_cast<std::size_t>(dot / dots_per_cell)];
  }
  static unsigned bit(std::size_t bin, int dot) {
    return dot_bits[bin % 2][static_cast<std::size_t>(dot % dots_per_cell)];
  }

  /// `full_least`: in ASCII, the dots from which on a cell is drawn.
  void draw(DrawRegion& region, int full_least) const {
    for (int column = 0; column < area_.columns; ++column) {
      for (int row = 0; row < area_.rows; ++row) {
        const DottedCell& cell =
            cells_[static_cast<std::size_t>(column) * static_cast<std::size_t>(area_.rows) +
                   static_cast<std::size_t>(row)];
        if (cell.count() == 0) continue;
        if (region.ascii() && cell.count() < full_least && row > 0) continue;
        const SeriesLook& look = look_of(cell.series());
        region.text(area_.column + column, area_.row + area_.rows - 1 - row,
                    region.ascii() ? std::string(1, look.ascii) : braille(cell.dots), look.style);
      }
    }
  }

 private:
  Rect area_;
  std::vector<DottedCell> cells_;
};

double sum_of(const StackPoint& point) {
  double sum = absent;
  for (const double part : point.parts) {
    if (!std::isnan(part)) sum = std::isnan(sum) ? part : sum + part;
  }
  return sum;
}

/// Fills the dots of a bin with the parts of a point. Each border is rounded by itself, so that the
/// parts are as high as their sum.
void fill_bin(DottedPlot& plot, std::size_t bin, const StackPoint& point, const ChartScale& scale) {
  double sum = 0;
  int from = 0;
  for (int series = 0; series < series_max; ++series) {
    const double part = point.parts[static_cast<std::size_t>(series)];
    if (std::isnan(part)) continue;
    sum += part;
    const int to = std::clamp(static_cast<int>(std::lround(scale.share(sum) * plot.height())), 0,
                              plot.height());
    for (int dot = from; dot < to; ++dot) {
      const unsigned bit = DottedPlot::bit(bin, dot);
      plot.at(bin, dot).add(series, look_of(series).pattern & bit);
    }
    from = std::max(from, to);
  }
}

/// The plot's rectangle, right of the value axis, which it draws.
std::optional<Rect> begin_plot(DrawRegion& region, const Rect& area, const Chart& chart) {
  const int axis = chart.text == nullptr ? 0 : value_axis_columns(area.columns);
  const Rect plot{area.column + axis, area.row, area.columns - axis, area.rows};
  if (plot.columns <= 0 || plot.rows <= 0) return std::nullopt;
  if (axis > 0) draw_value_axis(region, area, chart.scale, chart.text);
  return plot;
}

int dot_of(double value, const ChartScale& scale, int height) {
  const double share = std::clamp(scale.share(value), 0.0, 1.0);
  return std::clamp(static_cast<int>(std::lround(share * height)) - 1, 0, height - 1);
}

/// A dot for each bin, joined to the one before it.
void fill_line(DottedPlot& plot, int series, const std::vector<double>& values,
               const ChartScale& scale) {
  std::optional<int> before;
  for (std::size_t bin = 0; bin < values.size(); ++bin) {
    if (std::isnan(values[bin])) {
      before.reset();
      continue;
    }
    const int dot = dot_of(values[bin], scale, plot.height());
    const int from = std::min(dot, before.value_or(dot)), to = std::max(dot, before.value_or(dot));
    for (int each = from; each <= to; ++each) {
      plot.at(bin, each).add(series, DottedPlot::bit(bin, each));
    }
    before = dot;
  }
}

/// Draws the sign of a series on its line, at its end and at some distance.
void mark_line(DrawRegion& region, const Rect& plot, int series, const std::vector<double>& values,
               const ChartScale& scale) {
  for (int cell = plot.columns - 1; cell >= 0; --cell) {
    const int back = plot.columns - 1 - cell - mark_shift * series;
    if (back < 0 || back % mark_distance != 0) continue;
    const double value = values[2 * static_cast<std::size_t>(cell)];
    if (std::isnan(value)) continue;
    const int row = dot_of(value, scale, plot.rows * dots_per_cell) / dots_per_cell;
    region.text(plot.column + cell, plot.row + plot.rows - 1 - row, line_sign(series),
                series_style(series));
  }
}

}  // namespace

CellStyle series_style(int series) { return look_of(series).style; }

std::string stack_sign(int series, bool ascii) {
  return ascii ? std::string(1, look_of(series).ascii) : braille(look_of(series).pattern);
}

std::string line_sign(int series) { return std::string(1, static_cast<char>('1' + series)); }

void draw_stack(DrawRegion& region, const Rect& area, std::span<const StackPoint> points,
                const Chart& chart, const TimeWindow& window) {
  std::vector<ChartPoint> sums;
  for (const StackPoint& point : points) sums.push_back({point.at, sum_of(point), point.lasts});
  Chart limits = chart;
  limits.area = {};
  const auto plot_area = begin_plot(region, area, chart);
  if (!plot_area) return;
  const auto greatest =
      greatest_points(sums, window, 2 * plot_area->columns, chart.staleness_limit);
  DottedPlot plot(*plot_area);
  for (std::size_t bin = 0; bin < greatest.size(); ++bin) {
    if (greatest[bin]) fill_bin(plot, bin, points[*greatest[bin]], chart.scale);
  }
  limits.text = nullptr;
  draw_chart(region, *plot_area, limits, window);
  plot.draw(region, dots_per_cell);
}

void draw_lines(DrawRegion& region, const Rect& area,
                std::span<const std::vector<ChartPoint>> series, const Chart& chart,
                const TimeWindow& window) {
  DROVER_REQUIRE(series.size() <= series_max);
  const auto plot_area = begin_plot(region, area, chart);
  if (!plot_area) return;
  std::vector<std::vector<double>> values;
  DottedPlot plot(*plot_area);
  for (const std::vector<ChartPoint>& points : series) {
    values.push_back(bin_values(points, window, 2 * plot_area->columns, chart.staleness_limit));
    fill_line(plot, static_cast<int>(values.size()) - 1, values.back(), chart.scale);
  }
  plot.draw(region, 1);
  for (std::size_t i = values.size(); i-- > 0;) {
    mark_line(region, *plot_area, static_cast<int>(i), values[i], chart.scale);
  }
}

}  // namespace drover::tui
