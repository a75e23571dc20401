// Stacked areas and lines of several series.
#include "tui/canvas/series_chart.h"

#include <gtest/gtest.h>

#include "fleet/base/units.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant series_noon{seconds(1'763'726'400)};

std::vector<StackPoint> stack_of(const std::vector<std::vector<double>>& sums) {
  std::vector<StackPoint> points;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    StackPoint point{series_noon + seconds(i), {}, {}};
    point.parts.fill(absent);
    std::copy(sums[i].begin(), sums[i].end(), point.parts.begin());
    points.push_back(point);
  }
  return points;
}

Chart chart_up_to(double high) {
  Chart chart;
  chart.scale = {0, high};
  chart.staleness_limit = seconds(1);
  return chart;
}

std::string stacked(const std::vector<StackPoint>& points, const Chart& chart, int bin_s,
                    int columns, int rows, bool ascii) {
  Canvas canvas({columns, rows});
  DrawRegion region(canvas, {0, 0, columns, rows}, ascii);
  const Instant last = series_noon + seconds(points.size() - 1);
  draw_stack(region, {0, 0, columns, rows}, points, chart, {last, seconds(bin_s)});
  return "\n" + canvas.to_text();
}

TEST(SeriesChart, PartsStandOnEachOtherWithTheirOwnSigns) {
  const auto points = stack_of({{4, 4}, {4, 4}, {4, 8}, {4, 8}, {8, 8}, {8, 8}});
  EXPECT_EQ(stacked(points, chart_up_to(16), 1, 3, 4, true), "\n  +\n ++\n++#\n###\n");
  EXPECT_EQ(stacked(points, chart_up_to(16), 1, 3, 4, false), "\n  ⢕\n ⢕⢕\n⢕⢕⣿\n⣿⣿⣿\n");
}

TEST(SeriesChart, ABinHasThePartsOfItsGreatestSumSoTheStackIsNeverHigherThanIt) {
  // Each part has its peak at another time.
  const auto points = stack_of({{0, 6}, {2, 6}, {3, 8}, {8, 0}});
  EXPECT_EQ(stacked(points, chart_up_to(16), 2, 1, 4, true), "\n\n\n+\n#\n");
}

TEST(SeriesChart, AnUnknownSumIsAGapAndAnUnknownPartIsLeftOut) {
  const auto points = stack_of({{8, absent}, {8, absent}, {}, {}, {absent, 8}, {absent, 8}});
  EXPECT_EQ(stacked(points, chart_up_to(8), 1, 3, 1, true), "\n# +\n");
}

TEST(SeriesChart, TheLimitOfAStackIsALabelledLine) {
  const auto points = stack_of(std::vector<std::vector<double>>(40, {4, 4}));
  Chart chart = chart_up_to(16);
  chart.limit = 16;
  chart.limit_label = "cap";
  EXPECT_EQ(stacked(points, chart, 1, 20, 4, true),
            "\n- cap --------------\n\n++++++++++++++++++++\n####################\n");
}

std::string lined(const std::vector<std::vector<ChartPoint>>& series, int columns, int rows,
                  bool ascii) {
  Canvas canvas({columns, rows});
  DrawRegion region(canvas, {0, 0, columns, rows}, ascii);
  draw_lines(region, {0, 0, columns, rows}, series, chart_up_to(16),
             {series[0].back().at, seconds(1)});
  return "\n" + canvas.to_text();
}

std::vector<ChartPoint> line_of(const std::vector<double>& values) {
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({series_noon + seconds(i), values[i]});
  }
  return points;
}

TEST(SeriesChart, LinesAreJoinedAndMarkedWithTheirNumbers) {
  const auto high = line_of(std::vector<double>(20, 16));
  const auto step = line_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12});
  EXPECT_EQ(lined({high, step}, 10, 4, false), "\n⠉⠉⠉⠉⠉⠉⠉⠉⠉1\n     ⡏2⠉⠉⠉\n     ⡇\n⣀⣀⣀⣀⣀⡇\n");
  EXPECT_EQ(lined({high, step}, 10, 4, true), "\n#########1\n     +2+++\n     +\n++++++\n");
}

TEST(SeriesChart, ALineHasAGapWhereItIsUnknown) {
  const auto gap = line_of({8, 8, absent, absent, 8, 8, 8, 8});
  EXPECT_EQ(lined({gap}, 4, 2, true), "\n\n# #1\n");
}

TEST(SeriesChart, NothingIsDrawnOutsideItsRectangle) {
  const auto points = stack_of(std::vector<std::vector<double>>(100, {4, 4, 30}));
  const std::vector<std::vector<ChartPoint>> series = {line_of(std::vector<double>(100, 30))};
  for (int columns = 0; columns <= 30; ++columns) {
    for (int rows = 0; rows <= 6; ++rows) {
      Canvas canvas({40, 10});
      canvas.fill({0, 0, 40, 10}, ".");
      DrawRegion region(canvas, {2, 2, 36, 7}, false);
      Chart chart = chart_up_to(16);
      chart.text = watts_text;
      const TimeWindow window{series_noon + seconds(99), seconds(1)};
      draw_stack(region, {1, 1, columns, rows}, points, chart, window);
      draw_lines(region, {1, 1, columns, rows}, series, chart, window);
      for (int row = 0; row < 10; ++row) {
        for (int column = 0; column < 40; ++column) {
          const bool inside = column >= 3 && column < 3 + columns && row >= 3 && row < 3 + rows;
          if (!inside) {
            ASSERT_EQ(canvas.at(column, row).text, ".") << columns << "x" << rows;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace drover::tui
