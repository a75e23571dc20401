#include "tui/canvas/chart.h"

#include <cmath>

#include <gtest/gtest.h>

#include "fleet/base/units.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

constexpr Instant chart_noon{seconds(1'763'726'400)};  // 2025-11-21T12:00:00Z
constexpr double gone = absent;

std::vector<ChartPoint> each_second(Instant first, const std::vector<double>& values) {
  std::vector<ChartPoint> points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.push_back({first + seconds(i), values[i]});
  }
  return points;
}

std::string whole(double value) { return std::to_string(static_cast<int>(value)); }

/// What a chart of `columns` x `rows` looks like, its value axis included.
std::string drawn(const Chart& chart, const TimeWindow& window, int columns, int rows,
                  bool ascii = false) {
  Canvas canvas({columns, rows});
  DrawRegion region(canvas, {0, 0, columns, rows}, ascii);
  draw_chart(region, {0, 0, columns, rows}, chart, window);
  return "\n" + canvas.to_text();
}

Chart chart_of(const std::vector<ChartPoint>& points, double high) {
  Chart chart;
  chart.area = points;
  chart.scale = {0, high};
  chart.staleness_limit = seconds(1);
  return chart;
}

TEST(Chart, ACellHoldsTwoValuesAndFourSteps) {
  const auto points = each_second(chart_noon, {1, 2, 3, 4, 4, 3, 2, 1, 0, 0});
  EXPECT_EQ(drawn(chart_of(points, 4), {chart_noon + seconds(9), seconds(1)}, 5, 1), "\n⣠⣾⣷⣄⣀\n");
  EXPECT_EQ(drawn(chart_of(points, 2), {chart_noon + seconds(9), seconds(1)}, 5, 1), "\n⣼⣿⣿⣧⣀\n");
  const auto steep = each_second(chart_noon, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(drawn(chart_of(steep, 8), {chart_noon + seconds(7), seconds(1)}, 4, 2),
            "\n  ⣠⣾\n⣠⣾⣿⣿\n");
}

TEST(Chart, UnknownValuesAreGapsAndNeverZero) {
  const auto points = each_second(chart_noon, {4, 4, gone, gone, 0, 0, gone, 4});
  EXPECT_EQ(drawn(chart_of(points, 4), {chart_noon + seconds(7), seconds(1)}, 6, 1), "\n  ⣿ ⣀⢸\n");
}

TEST(Chart, AValueHoldsUntilTheNextForALimitedTime) {
  const std::vector<ChartPoint> late = {
      {chart_noon, 4}, {chart_noon + seconds(2), 4}, {chart_noon + seconds(9), 4}};
  const TimeWindow window{chart_noon + seconds(9), seconds(1)};
  Chart chart = chart_of(late, 4);
  EXPECT_EQ(drawn(chart, window, 5, 1), "\n⣿⣿  ⢸\n");
  chart.staleness_limit = seconds(0);
  EXPECT_EQ(drawn(chart, window, 5, 1), "\n⡇⡇  ⢸\n");
}

TEST(Chart, AValueThatStandsForALongerTimeLeavesNoGap) {
  // Bins of three seconds: of samples before them, and one sample.
  const std::vector<ChartPoint> points = {{chart_noon, 4, seconds(3)},
                                          {chart_noon + seconds(3), 2, seconds(3)},
                                          {chart_noon + seconds(6), 4}};
  Chart chart = chart_of(points, 4);
  chart.staleness_limit = seconds(0);
  EXPECT_EQ(drawn(chart, {chart_noon + seconds(9), seconds(1)}, 5, 1), "\n⣿⣧⣤⡇\n");
}

TEST(Chart, ABinShowsItsLargestValue) {
  const auto points = each_second(chart_noon, {1, 4, 0, 2, 3, 1, 0, 0});
  EXPECT_EQ(bin_values(points, {chart_noon + seconds(7), seconds(2)}, 4, {}),
            (std::vector<double>{4, 2, 3, 0}));
}

TEST(Chart, DrawnValuesScrollWithoutChangingShape) {
  std::vector<double> values;
  for (int i = 0; i < 64; ++i) values.push_back((i * 37) % 11);
  const auto points = each_second(chart_noon, values);
  // Bins of three seconds: at any moment, the bins that are over have the values they will keep.
  const std::vector<double> last =
      bin_values(points, {chart_noon + seconds(63), seconds(3)}, 40, {});
  for (int now = 20; now < 63; ++now) {
    const TimeWindow window{chart_noon + seconds(now), seconds(3)};
    const std::vector<double> then = bin_values(points, window, 40, {});
    const auto shift = static_cast<std::size_t>(
        (TimeWindow{chart_noon + seconds(63), seconds(3)}.begin(20) - window.begin(20)) /
        seconds(3));
    for (std::size_t bin = shift; bin < 40; ++bin) {
      const Instant end = window.begin(20) + seconds(3) * (bin + 1);
      if (end > window.end || std::isnan(then[bin])) continue;
      EXPECT_EQ(then[bin], last[bin - shift]) << "at " << now << ", bin " << bin;
    }
  }
}

TEST(Chart, ValuesAfterTheWindowAreNotShown) {
  const auto points = each_second(chart_noon, {4, 4, 4, 4, 4, 4});
  EXPECT_EQ(drawn(chart_of(points, 4), {chart_noon + seconds(1), seconds(1)}, 3, 1), "\n  ⣿\n");
}

TEST(Chart, ALineIsDrawnOverTheAreaWithoutHidingItsEdge) {
  const auto points = each_second(chart_noon, {1, 1, 2, 2, 8, 8, 6, 6});
  const auto cap = each_second(chart_noon, {8, 8, 8, 8, 6, 6, 6, 6});
  Chart chart = chart_of(points, 8);
  chart.line = cap;
  const TimeWindow window{chart_noon + seconds(7), seconds(1)};
  EXPECT_EQ(drawn(chart, window, 4, 2), "\n▔▔⣿⣤\n⣀⣤⣿⣿\n");
  EXPECT_EQ(drawn(chart, window, 4, 2, true), "\n--#:\n.:##\n");
  chart.line = {};
  chart.limit = 1;
  EXPECT_EQ(drawn(chart, window, 4, 2), "\n  ⣿⣤\n⣀⣤▁▁\n");
  chart.limit = 9;  // beyond the scale: not drawn at a height that would lie
  EXPECT_EQ(drawn(chart, window, 4, 2), "\n  ⣿⣤\n⣀⣤⣿⣿\n");
}

TEST(Chart, TheAreaTakesTheLinesColourWhereTheyMeet) {
  Canvas canvas({4, 3});
  DrawRegion region(canvas, {0, 0, 4, 3}, false);
  // Of twelve dots: below the line's cell, in it but below the line, at the line, above it.
  const auto points = each_second(chart_noon, {8, 8, 9, 9, 10, 10, 12, 12});
  Chart chart = chart_of(points, 12);
  chart.limit = 10;
  chart.style = CellStyle::accent;
  chart.line_style = CellStyle::hot;
  draw_chart(region, {0, 0, 4, 3}, chart, {chart_noon + seconds(7), seconds(1)});
  EXPECT_EQ(canvas.to_text(), "─⣀⣤⣿\n⣿⣿⣿⣿\n⣿⣿⣿⣿\n");
  const std::vector<CellStyle> expected = {CellStyle::hot, CellStyle::accent, CellStyle::hot,
                                           CellStyle::hot};
  for (int cell = 0; cell < 4; ++cell) {
    EXPECT_EQ(canvas.at(cell, 0).style, expected[static_cast<std::size_t>(cell)]) << cell;
    EXPECT_EQ(canvas.at(cell, 1).style, CellStyle::accent) << cell;
  }
}

TEST(Chart, TheValueAxisLabelsTopMiddleAndBottom) {
  const auto points = each_second(chart_noon, std::vector<double>(30, 200.0));
  Chart chart = chart_of(points, 400);
  chart.text = watts_text;
  const TimeWindow window{chart_noon + seconds(29), seconds(1)};
  EXPECT_EQ(drawn(chart, window, 22, 5),
            "\n  400W┤\n      │\n  200W┤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤\n"
            "      │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n    0W┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n");
  EXPECT_EQ(drawn(chart, window, 22, 2, true), "\n  400W+\n    0W+###############\n");
  EXPECT_EQ(drawn(chart, window, 12, 2), "\n\n⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n");  // too narrow for numbers
}

TEST(Chart, TheLimitAndTheNewestValueStandAtTheirHeights) {
  std::vector<double> values(40, 100.0);
  for (std::size_t i = 30; i < 40; ++i) values[i] = 200;
  const auto points = each_second(chart_noon, values);
  Chart chart = chart_of(points, 400);
  chart.limit = 350;
  chart.limit_label = "cap 350W";
  chart.latest = "200W";
  const TimeWindow window{chart_noon + seconds(39), seconds(1)};
  EXPECT_EQ(drawn(chart, window, 20, 4),
            "\n─ cap 350W ─────────\n"
            "                200W\n"
            "               ⣿⣿⣿⣿⣿\n"
            "⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n");
  chart.scale = {0, 200};
  EXPECT_EQ(drawn(chart, window, 20, 3),
            "\n               ⣿200W\n⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣿⣿⣿⣿⣿\n⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿\n")
      << "the limit is beyond the scale, the value at its top";
  EXPECT_EQ(drawn(chart, {chart_noon + seconds(45), seconds(1)}, 20, 3).find("200W"),
            std::string::npos)
      << "an old value is not the newest";
}

TEST(Chart, WithoutAValueTheReasonStandsAloneWithoutAnAxis) {
  const auto points = each_second(chart_noon, std::vector<double>(20, gone));
  Chart chart = chart_of(points, 400);
  chart.text = watts_text;
  chart.missing = "the driver does not report it";
  const TimeWindow window{chart_noon + seconds(19), seconds(1)};
  EXPECT_EQ(drawn(chart, window, 42, 3), "\n\n       N/A: the driver does not report it\n\n");
  EXPECT_EQ(drawn(chart, window, 26, 3), "\n\n       N/A: the driver\n       does not report it\n");
  chart.line = points;
  EXPECT_NE(drawn(chart, window, 40, 3).find("N/A"), std::string::npos);
  const auto known = each_second(chart_noon, std::vector<double>(20, 5.0));
  chart.line = known;
  EXPECT_EQ(drawn(chart, window, 40, 3).find("N/A"), std::string::npos) << "a line is known";
}

TEST(Chart, ScalesEndAtRoundNumbers) {
  struct Case {
    double most, base, high;
  };
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  for (const Case& c : {Case{0, 1000, 1},
                        {0.3, 1000, 0.3},
                        {1, 1000, 1},
                        {3, 1000, 3},
                        {7, 1000, 8},
                        {11, 1000, 15},
                        {420, 1000, 500},
                        {812, 1000, 1000},
                        {1'240, 1000, 1'500},
                        {72'000, 1000, 80'000},
                        {absent, 1000, 1},
                        {60 * gibibyte, 1024, 64 * gibibyte},
                        {700, 1024, 1024}}) {
    EXPECT_DOUBLE_EQ(scale_up_to(c.most, c.base).high, c.high) << c.most;
  }
}

TEST(Chart, AStripShowsTheMostSevereMarkerOfACell) {
  static constexpr StripMarker signs[] = {{4, "H", "heat", CellStyle::hot},
                                          {2, "P", "power", CellStyle::warm}};
  const auto points = each_second(chart_noon, {0, 0, 2, 0, 2, 6, gone, gone, 0, 0});
  for (const bool ascii : {false, true}) {
    Canvas canvas({6, 1});
    DrawRegion region(canvas, {0, 0, 6, 1}, ascii);
    draw_strip(region, 0, 0, 6, points, {chart_noon + seconds(9), seconds(1)}, seconds(1), signs);
    EXPECT_EQ(canvas.to_text(), ascii ? " .PH .\n" : " ·PH ·\n");
  }
}

TEST(Chart, NothingIsDrawnOutsideItsRectangle) {
  const auto points = each_second(chart_noon, std::vector<double>(200, 5.0));
  for (int columns = 0; columns <= 40; ++columns) {
    for (int rows = 0; rows <= 6; ++rows) {
      Canvas canvas({60, 12});
      canvas.fill({0, 0, 60, 12}, ".");
      DrawRegion region(canvas, {2, 2, 50, 8}, false);
      Chart chart = chart_of(points, 5);
      chart.text = whole;
      chart.limit = 3;
      draw_chart(region, {1, 1, columns, rows}, chart, {chart_noon + seconds(199), seconds(1)});
      for (int row = 0; row < 12; ++row) {
        for (int column = 0; column < 60; ++column) {
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
