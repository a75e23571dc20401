// The fleet's curves tell what was known at each instant, and nothing where nothing was.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fleet/base/units.h"
#include "tests/tui/sample_fleet.h"
#include "tui/model/model.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Instant after(double time_s) { return SampleFleet::start + from_seconds(time_s); }

/// What a model hears of the sample fleet: its state at the start, samples and sums once a second.
struct HeardFleet {
  SampleFleet fleet;
  Model model{seconds(1)};

  HeardFleet() {
    for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  }
  void seconds_of_news(int from, int to) {
    for (int second = from; second < to; ++second) {
      ++fleet.summary.finished;
      tell(second + 0.5, fleet.summary);
      for (const Envelope& batch : fleet.samples(second)) model.apply(after(second + 0.5), batch);
    }
  }
  void tell(double at_s, Message body) {
    model.apply(after(at_s), fleet.published(std::move(body), after(at_s)));
  }
  const TrendPoint& point(int second) const {
    for (const TrendPoint& point : model.trend()) {
      if (point.at == SampleFleet::start + seconds(second)) return point;
    }
    ADD_FAILURE() << "no point at second " << second;
    return model.trend().front();
  }
};

/// Half an hour of power, 1 W more every ten seconds.
HistoryReply older_power(const std::string& pool) {
  const Instant bin = SampleFleet::start - seconds(1);  // a multiple of ten seconds
  HistoryReply reply{"", 0, bin - std::chrono::minutes(30), seconds(10), {}};
  reply.series = {{"power_w", "", {}}, {"power_w", pool, {}}, {"of_a_newer_router", "", {}}};
  for (HistorySeries& series : reply.series) {
    for (int i = 0; i < 180; ++i) append_history_value(series.values, 1'000 + i);
  }
  return reply;
}

TEST(Curves, BeginWithWhatTheRouterHasKept) {
  HeardFleet heard;
  heard.seconds_of_news(0, 20);
  heard.tell(20, older_power(heard.model.pools().front()));
  const auto& bins = heard.model.fleet_trend().points_for(seconds(10));
  ASSERT_GT(bins.size(), 180u);
  EXPECT_EQ(bins.front().power_w, 1'000);
  EXPECT_EQ(bins[179].power_w, 1'179) << "the last one before its own";
  EXPECT_EQ(bins[179].pools.front().power_w, 1'179);
  EXPECT_TRUE(std::isnan(bins[179].utilization)) << "the answer had none";
  const std::optional<ThrottleTimes> before = heard.model.recent_throttle_times(after(21));
  ASSERT_TRUE(before);
  EXPECT_FALSE(std::isnan(before->front())) << "counted since the model began";
}

TEST(Curves, IgnoreTheHistoryOfADevice) {
  HeardFleet heard;
  HistoryReply reply = older_power("");
  reply.host = "gpu-a";
  heard.seconds_of_news(0, 20);
  heard.tell(20, reply);
  EXPECT_GE(heard.model.trend().front().at, SampleFleet::start);
}

TEST(Curves, HaveAGapWhereNothingWasReceived) {
  HeardFleet heard;
  heard.seconds_of_news(0, 20);
  heard.model.tick(after(60));  // the router is gone
  heard.fleet.summary.finished += 500;
  heard.seconds_of_news(60, 70);
  heard.model.tick(after(70));
  const auto known = [&](int second) {
    const TrendPoint& point = heard.point(second);
    const double values[] = {point.utilization, point.power,  point.power_w,
                             point.usd_per_h,   point.queued, point.site_cap_w};
    const auto told = [](double value) { return !std::isnan(value); };
    const bool all = std::all_of(std::begin(values), std::end(values), told);
    const bool any = std::any_of(std::begin(values), std::end(values), told) ||
                     std::any_of(point.pools.begin(), point.pools.end(), [&](const auto& pool) {
                       return told(pool.power_w) || told(pool.cap_w);
                     });
    EXPECT_EQ(all, any) << second;
    return any;
  };
  for (const int second : {2, 10, 20, 24}) EXPECT_TRUE(known(second)) << second;
  for (const int second : {25, 40, 60}) EXPECT_FALSE(known(second)) << second;
  for (const int second : {61, 70}) EXPECT_TRUE(known(second)) << second;
  EXPECT_EQ(heard.point(10).finished_per_s, 1);
  EXPECT_TRUE(std::isnan(heard.point(61).finished_per_s))
      << "what ended in the silence did not end in one second";
  EXPECT_EQ(heard.point(62).finished_per_s, 1);
}

TEST(Curves, ShowTheCapsInForceAtThatTime) {
  HeardFleet heard;
  heard.seconds_of_news(0, 10);
  PolicyChanged lower = heard.fleet.policy;
  lower.site_power_cap_w = 9'000;
  lower.pools[0].power_cap_w = 0;
  heard.tell(10.5, lower);
  heard.seconds_of_news(11, 20);
  PolicyChanged none = lower;
  none.site_power_cap_w = 0;
  none.pools[0].power_cap_w = 5'000;
  heard.tell(20.5, none);
  heard.seconds_of_news(21, 30);
  ASSERT_EQ(heard.model.pools()[0], "hopper");
  for (const int second : {1, 10}) {
    EXPECT_EQ(heard.point(second).site_cap_w, 11'000) << second;
    EXPECT_EQ(heard.point(second).pools[0].cap_w, 4'200) << second;
  }
  for (const int second : {11, 20}) {
    EXPECT_EQ(heard.point(second).site_cap_w, 9'000) << second;
    EXPECT_TRUE(std::isnan(heard.point(second).pools[0].cap_w)) << second << ": lifted";
  }
  for (const int second : {21, 29}) {
    EXPECT_TRUE(std::isnan(heard.point(second).site_cap_w)) << second << ": lifted";
    EXPECT_EQ(heard.point(second).pools[0].cap_w, 5'000) << second;
  }
}

TEST(Throttled, MeansThatSomethingHoldsTheClockDown) {
  EXPECT_FALSE(is_throttled(absent));
  EXPECT_FALSE(is_throttled(0));
  EXPECT_FALSE(is_throttled(throttle_gpu_idle));
  EXPECT_EQ(throttle_text(throttle_gpu_idle), "idle");
  for (const std::uint32_t bits : {2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
    EXPECT_TRUE(is_throttled(bits | throttle_gpu_idle)) << bits;
    const std::string text = throttle_text(bits | throttle_gpu_idle);
    EXPECT_TRUE(!text.empty() && text != "-" && text != "idle") << bits << ": " << text;
  }
}

/// Columns of the first chart (of all pools) in which the site's cap is drawn.
std::vector<int> capped_columns(const Canvas& canvas, int top, int rows, int columns) {
  std::vector<int> capped;
  for (int column = 0; column < columns; ++column) {
    for (int row = top; row < top + rows; ++row) {
      const Cell& cell = canvas.at(column, row);
      if (cell.style == CellStyle::warm) capped.push_back(column);  // the line, or its label
    }
  }
  return capped;
}

TEST(PowerView, DrawsACapFromWhenItWasSetToWhenItWasLifted) {
  SampleFleet fleet;
  fleet.policy.site_power_cap_w = 0;
  const auto dashboard = dashboard_of(fleet, {200, 60}, "power", false, 40);
  const auto caps = [&](int now_s) {
    return capped_columns(dashboard->draw(SampleFleet::start + seconds(now_s)), 4, 9, 98);
  };
  const auto go_on = [&](int from, int to, double cap_w) {
    fleet.policy.site_power_cap_w = cap_w;
    dashboard->receive(SampleFleet::start + seconds(from), publish_peer,
                       fleet.published(fleet.policy));
    for (int second = from; second < to; ++second) {
      for (const Envelope& batch : fleet.samples(second)) {
        dashboard->receive(SampleFleet::start + seconds(second), publish_peer, batch);
      }
    }
  };
  EXPECT_TRUE(caps(40).empty());
  go_on(40, 60, 9'000);
  const std::vector<int> set = caps(60);
  ASSERT_GE(set.size(), 26u) << "a third of the minute, of 91 cells";
  EXPECT_LE(set.size(), 34u) << "it was not there before";
  EXPECT_EQ(set.back() - set.front() + 1, static_cast<int>(set.size()));
  go_on(60, 80, 0);
  const std::vector<int> lifted = caps(80);
  EXPECT_NEAR(static_cast<double>(lifted.size()), static_cast<double>(set.size()), 2)
      << "it was there then";
  ASSERT_FALSE(lifted.empty());
  EXPECT_LE(lifted.back(), set.back() - 9) << "and is there no more";
}

}  // namespace
}  // namespace drover::tui
