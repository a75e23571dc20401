// A chart's past of two sources: samples where they are kept, the ladder before them.
#include "tui/history/chart_history.h"

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant ladder_start{seconds(1'763'692'680)};
constexpr double none = absent;

struct ChartCase {
  const char* promise;
  std::vector<double> ladder;                   // by tens of seconds, from the start on
  std::vector<std::pair<int, double>> samples;  // by seconds from the start
  std::optional<Statistic> gather;
  std::vector<std::pair<int, double>> points;
};

TEST(QuantizedBatch, ChartsShowSamplesAndOlderBinsBeforeThem) {
  const ChartCase cases[] = {
      {"without samples the ladder tells", {1, none, 3}, {}, {}, {{0, 1}, {10, none}, {20, 3}}},
      {"samples stay as they are, from the bin on in which they begin",
       {1, 2, 3},
       {{14, 7}, {15, 8}, {21, 9}},
       {},
       {{0, 1}, {14, 7}, {15, 8}, {21, 9}}},
      {"a sample before the bins may still stand there",
       {1, 2},
       {{-3, 5}, {12, 6}},
       {},
       {{-3, 5}, {12, 6}}},
      {"gathered by their mean; the bin in which they begin is the ladder's",
       {1, 2, 3},
       {{14, 7}, {21, 8}, {25, 10}},
       Statistic::mean,
       {{0, 1}, {10, 2}, {20, 9}}},
      {"gathered by their greatest, also where the ladder does not know",
       {none, none, none},
       {{14, 7}, {15, none}, {21, 8}, {25, 10}, {29, 9}},
       Statistic::maximum,
       {{0, none}, {10, 7}, {20, 10}}},
      {"between samples, which may be rare, there is no point, whatever the ladder says",
       {1, 2, 3, 4},
       {{5, 6}, {31, 8}},
       Statistic::mean,
       {{0, 1}, {30, 8}}},
      {"what came behind the last bin is not lost", {1}, {{11, 4}}, {}, {{0, 1}, {11, 4}}},
  };
  for (const ChartCase& one : cases) {
    std::vector<ChartPoint> samples;
    for (const auto& [at, value] : one.samples)
      samples.push_back({ladder_start + seconds(at), value});
    const auto points = merge_history({ladder_start, seconds(10), one.ladder}, samples, one.gather);
    ASSERT_EQ(points.size(), one.points.size()) << one.promise;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].at, ladder_start + seconds(one.points[i].first))
          << one.promise << " " << i;
      if (std::isnan(one.points[i].second)) {
        EXPECT_TRUE(std::isnan(points[i].value)) << one.promise << " " << i;
      } else {
        EXPECT_EQ(points[i].value, one.points[i].second) << one.promise << " " << i;
      }
    }
  }
}

TEST(QuantizedBatch, TheResolutionIsTheCoarsestThatAChartCanDistinguish) {
  const Duration wall = seconds(20);
  const DeviceHistory history(wall, 1u << 20);
  const auto resolution = [&](int bin, int back) {
    return resolution_for(history, bin * wall, ladder_start - back * wall, ladder_start);
  };
  EXPECT_EQ(resolution(1, 50), HistoryResolution::seconds);
  EXPECT_EQ(resolution(5, 50), HistoryResolution::seconds);
  EXPECT_EQ(resolution(10, 50), HistoryResolution::tens_of_seconds);
  EXPECT_EQ(resolution(59, 50), HistoryResolution::tens_of_seconds);
  EXPECT_EQ(resolution(60, 50), HistoryResolution::minutes);
}

TEST(QuantizedBatch, ALongerResolutionIsTakenWhereTheShorterDoesNotReach) {
  const DeviceHistory history(seconds(1), 1u << 20);
  const auto resolution = [&](int back_s) {
    return resolution_for(history, seconds(4), ladder_start - seconds(back_s), ladder_start);
  };
  EXPECT_EQ(resolution(59), HistoryResolution::seconds);
  EXPECT_EQ(resolution(300), HistoryResolution::tens_of_seconds);
  EXPECT_EQ(resolution(1'800), HistoryResolution::minutes);
}

/// Braille characters of a text in UTF-8.
int dotted(std::string_view text) {
  int count = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (text[i] == '\xE2' && second >= 0xA0 && second <= 0xA3) ++count;
  }
  return count;
}

/// The foot of the first chart of the device view: a character for each cell in which something
/// stands. 400 devices tell so much that a dashboard of one MiB forgets it in some seconds.
int cells_of_first_chart(std::size_t history_bytes) {
  DashboardOptions options;
  options.settings.history = history_bytes;
  Dashboard dashboard(options, {100, 40}, ladder_start);
  for (const Envelope& host : plain_hosts(50, 8))
    dashboard.receive(ladder_start, publish_peer, host);
  for (std::uint64_t second = 1; second <= 100; ++second) {
    const Instant now = ladder_start + seconds(second);
    for (const Envelope& batch : plain_samples(50, 8, second)) {
      dashboard.receive(now, publish_peer, batch);
    }
  }
  dashboard.press(ladder_start + seconds(100), {"3"});
  const std::string frame = dashboard.draw(ladder_start + seconds(100)).to_text();
  const std::size_t foot = frame.find(" 0%┤");
  return dotted(frame.substr(foot, frame.find("0B┤", foot) - foot));
}

TEST(QuantizedBatch, DeviceChartsReachBackBeyondTheRetainedStream) {
  // Two minutes are shown of 100 s, in 42 cells.
  EXPECT_GE(cells_of_first_chart(64u << 20), 34);
  EXPECT_GE(cells_of_first_chart(1u << 20), 34) << "the ladder has what the stream has no longer";
}

}  // namespace
}  // namespace drover::tui
