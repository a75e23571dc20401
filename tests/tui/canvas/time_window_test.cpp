// The spans of charts and the labels of their time axes.
#include "tui/canvas/time_window.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant window_noon{seconds(1'763'726'400)};  // 2025-11-21T12:00:00Z

TEST(TimeWindow, TheSpanGrowsWithTheDataThroughRoundTimes) {
  struct Case {
    Duration known, span;
  };
  for (const Case& c : {Case{seconds(0), minutes(1)},
                        {seconds(60), minutes(1)},
                        {seconds(90), minutes(1)},
                        {seconds(91), minutes(2)},
                        {minutes(3), minutes(2)},
                        {seconds(181), minutes(5)},
                        {minutes(8), minutes(10)},
                        {minutes(20), minutes(30)},
                        {minutes(50), hours(1)},
                        {hours(2), hours(2)},
                        {hours(30), hours(24)},
                        {hours(24 * 7), hours(24 * 7)}}) {
    EXPECT_EQ(span_for(c.known), c.span) << to_seconds(c.known);
  }
}

TEST(TimeWindow, AChartOfMoreThanAMinuteIsNeverMostlyEmptyAndHidesAtMostAThird) {
  for (Duration known = seconds(60); known < hours(24 * 7); known += known / 50) {
    const double share = to_seconds(known) / to_seconds(span_for(known));
    EXPECT_LE(share, 1.5001) << to_seconds(known);
    // From a day to a week is the widest step.
    EXPECT_GE(share, known < hours(36) ? 0.37 : 0.2) << to_seconds(known);
  }
}

TEST(TimeWindow, StepsLeadToTheRoundSpanBeside) {
  EXPECT_EQ(span_beside(minutes(5), 1), minutes(10));
  EXPECT_EQ(span_beside(minutes(5), -1), minutes(2));
  EXPECT_EQ(span_beside(minutes(1), -1), minutes(1));
  EXPECT_EQ(span_from(minutes(5)), minutes(5));
  EXPECT_EQ(span_from(minutes(6)), minutes(10));
  EXPECT_EQ(span_beside(span_from(Duration::max()), 1), span_from(Duration::max()));
}

TEST(TimeWindow, SpansAreNamedInTheirLargestUnit) {
  EXPECT_EQ(chart_span_text(minutes(1)), "1 min");
  EXPECT_EQ(chart_span_text(minutes(30)), "30 min");
  EXPECT_EQ(chart_span_text(hours(2)), "2 h");
  EXPECT_EQ(chart_span_text(hours(24)), "1 day");
  EXPECT_EQ(chart_span_text(hours(24 * 7)), "7 days");
}

TEST(TimeWindow, ShowsTheWholeSpanAtEveryWidth) {
  for (int cells = 1; cells <= 200; ++cells) {
    for (Duration span = minutes(1); span < hours(24 * 7); span = span_beside(span, 1)) {
      const TimeWindow window = window_of(window_noon, span, cells);
      EXPECT_GE(2 * cells * window.bin, span) << cells;
      EXPECT_LE(2 * cells * window.bin, span * 103 / 100 + 2 * cells * Duration(10'000'000))
          << cells << " cells of " << chart_span_text(span);
    }
  }
}

std::string axis(int columns, const TimeWindow& window, TimeLabels labels) {
  Canvas canvas({columns, 1});
  DrawRegion region(canvas, {0, 0, columns, 1}, false);
  draw_time_axis(region, 0, 0, columns, window, labels);
  return canvas.to_text();
}

TEST(TimeAxis, LabelsAreSpacedApartAtRoundTimes) {
  const Instant now = window_noon + seconds(67);
  EXPECT_EQ(axis(40, {now, seconds(1)}, TimeLabels::clock),
            "  12:00:00       12:00:30       12:01:00\n");
  EXPECT_EQ(axis(40, {now, seconds(30)}, TimeLabels::clock), "      11:30     11:40     11:50\n");
  EXPECT_EQ(axis(12, {now, seconds(1)}, TimeLabels::ago), "         now\n");
  EXPECT_EQ(axis(2, {now, seconds(1)}, TimeLabels::ago), "\n");
}

TEST(TimeAxis, RelativeLabelsShareAUnitAndBeginWithTheSpan) {
  struct Case {
    Duration span;
    const char* labels;
  };
  for (const Case& c : {Case{minutes(1), "-60s   -45s      -30s      -15s      now\n"},
                        {minutes(2), "-120s  -90s      -60s      -30s      now\n"},
                        {minutes(5), "-5m   -4m     -3m     -2m     -1m    now\n"},
                        {minutes(10), "-10m  -8m     -6m     -4m     -2m    now\n"},
                        {minutes(30), "-30m       -20m         -10m         now\n"},
                        {hours(2), "-120m  -90m      -60m      -30m      now\n"}}) {
    EXPECT_EQ(axis(40, window_of(window_noon, c.span, 40), TimeLabels::ago), c.labels)
        << chart_span_text(c.span);
  }
}

TEST(TimeAxis, LabelsNeverTouchOrLeaveTheirRowAtAnyWidthAndSpeed) {
  for (int columns = 1; columns <= 130; ++columns) {
    for (const int bin_s : {1, 2, 3, 5, 60, 3'600}) {
      for (const TimeLabels labels : {TimeLabels::clock, TimeLabels::ago}) {
        const std::string text =
            axis(columns, {window_noon + seconds(columns), seconds(bin_s)}, labels);
        ASSERT_LE(static_cast<int>(text.size()), columns + 1);
        std::size_t at = 0;
        for (std::size_t end; (at = text.find_first_not_of(" \n", at)) != std::string::npos;
             at = end) {
          end = text.find_first_of(" \n", at);
          const std::string label = text.substr(at, end - at);
          ASSERT_TRUE(label == "now" ||
                      (label.front() == '-' && label.find('-', 1) == std::string::npos) ||
                      label.size() == 5 || label.size() == 8)
              << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace drover::tui
