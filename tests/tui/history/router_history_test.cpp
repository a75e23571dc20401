// What the router kept of a device, in the bins of a chart.
#include "tui/history/router_history.h"

#include <cmath>

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant noon{seconds(1'763'726'400)};

/// A minute from `noon` on: 0, 10, .. 50 of each metric.
HistoryReply minute() {
  HistoryReply reply{"h-1", 2, noon, seconds(10), {{"power", "", {}}, {"utilization", "", {}}}};
  for (HistorySeries& series : reply.series) {
    for (int i = 0; i < 6; ++i) append_history_value(series.values, 10 * i);
  }
  return reply;
}

HistoryQuestion question(Duration bin, int bins, Instant begin = noon) {
  return {{"h-1", 2}, DeviceClass::gpu, "", begin, bin, bins};
}

std::vector<double> power(const HistoryAnswer& answer) {
  return answer.values[static_cast<std::size_t>(Metric::power)];
}

TEST(RouterHistory, AShorterBinHasTheValueOfTheOneAroundIt) {
  EXPECT_EQ(power(answer_from(question(seconds(5), 4), minute())),
            (std::vector<double>{0, 0, 10, 10}));
}

TEST(RouterHistory, ALongerBinHasThePeakOfPowerAndTheMeanOfUtilization) {
  const HistoryAnswer answer = answer_from(question(seconds(30), 2), minute());
  EXPECT_EQ(power(answer), (std::vector<double>{20, 50}));
  EXPECT_EQ(answer.values[static_cast<std::size_t>(Metric::utilization)],
            (std::vector<double>{10, 40}));
}

TEST(RouterHistory, IsUnknownWhereTheRouterKeptNothing) {
  const std::vector<double> values =
      power(answer_from(question(seconds(10), 8, noon - seconds(10)), minute()));
  ASSERT_EQ(values.size(), 8u);
  EXPECT_TRUE(std::isnan(values.front()));
  EXPECT_EQ(values[1], 0);
  EXPECT_TRUE(std::isnan(values.back()));
}

TEST(RouterHistory, AnEmptyReplyAnswersTheQuestion) {
  const HistoryAnswer answer = answer_from(question(seconds(10), 6), {"h-1", 2, {}, {}, {}});
  EXPECT_EQ(answer.question, question(seconds(10), 6));
  EXPECT_TRUE(power(answer).empty());
}

}  // namespace
}  // namespace drover::tui
