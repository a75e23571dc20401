// What a router still knows of the last half hour when a dashboard opens.
#include "router/history/recent_history.h"

#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class AskedRouter : public RouterHarness {
 public:
  AskedRouter() { add_host(1, "h1"); }

  /// The host reports this power of device 3, and the router is told of nothing else, for so long.
  void live_at(double power_w, int for_s) {
    for (int second = 0; second < for_s; ++second) {
      receive(1, Heartbeat{});
      std::vector<Sample> rows = idle_samples(8);
      rows[3][Metric::power] = power_w;
      receive_samples("h1", ++sent_, rows);
      wait(seconds(1));
      commit();
    }
  }
  HistoryReply ask(const std::string& host = "", std::uint16_t device = 0) {
    forget();
    receive(8, HistoryRequest{host, device});
    const auto replies = told<HistoryReply>(8);
    EXPECT_EQ(replies.size(), 1u);
    return replies.empty() ? HistoryReply{} : replies.front();
  }

 private:
  std::uint64_t sent_ = 1;
};

std::vector<double> values_of(const HistoryReply& reply, const std::string& name,
                              const std::string& pool = "") {
  std::vector<double> values;
  for (const HistorySeries& series : reply.series) {
    if (series.name != name || series.pool != pool) continue;
    for (std::size_t i = 0; i < history_value_count(series.values); ++i)
      values.push_back(history_value_at(series.values, i));
  }
  return values;
}

TEST(RecentHistory, HasAReadingOfEveryDeviceForEachTenSeconds) {
  AskedRouter router;
  router.live_at(300, 60);
  router.live_at(500, 60);
  const HistoryReply reply = router.ask("h1", 3);
  EXPECT_EQ(reply.host, "h1");
  EXPECT_EQ(reply.bin, seconds(10));
  const std::vector<double> power = values_of(reply, "power");
  ASSERT_GE(power.size(), 12u);
  EXPECT_NEAR(power[3], 300, 0.1);
  EXPECT_NEAR(power.back(), 500, 0.1);
  EXPECT_NEAR(values_of(reply, "temperature").back(), 40, 0.1);
  EXPECT_EQ(values_of(router.ask("h1", 2), "power").back(), 100);
}

TEST(RecentHistory, HasTheCurvesOfTheFleetAndOfItsPools) {
  AskedRouter router;
  router.live_at(400, 30);
  const HistoryReply reply = router.ask();
  EXPECT_NEAR(values_of(reply, "power_w").back(), 7 * 100 + 400, 0.1);
  EXPECT_NEAR(values_of(reply, "power_share").back(), 1100.0 / (8 * 700), 1e-6);
  EXPECT_EQ(values_of(reply, "queued").back(), 0);
  EXPECT_TRUE(std::isnan(values_of(reply, "power_cap_w").back())) << "there is none";
  bool has_pool = false;
  for (const HistorySeries& series : reply.series) has_pool = has_pool || !series.pool.empty();
  EXPECT_TRUE(has_pool);
}

TEST(RecentHistory, KnowsNoPowerBeforeADeviceHasReportedIt) {
  RouterHarness router;
  router.wait(seconds(30));
  router.receive(8, HistoryRequest{});
  const HistoryReply reply = router.told<HistoryReply>(8).at(0);
  for (const double value : values_of(reply, "power_w")) EXPECT_TRUE(std::isnan(value));
  EXPECT_EQ(values_of(reply, "queued").back(), 0);
}

TEST(RecentHistory, EndsHalfAnHourAgo) {
  AskedRouter router;
  router.live_at(200, 35 * 60);
  const HistoryReply reply = router.ask("h1", 0);
  EXPECT_EQ(values_of(reply, "power").size(), history_bins_max);
  EXPECT_GE(reply.begin, router.now - minutes(30) - seconds(10));
}

TEST(RecentHistory, SaysNothingOfWhatTheRouterDidNotHear) {
  AskedRouter router;
  router.live_at(200, 30);
  router.wait(seconds(60));  // the host is lost
  router.live_at(200, 1);
  const std::vector<double> power = values_of(router.ask("h1", 0), "power");
  EXPECT_TRUE(std::isnan(power[power.size() - 3])) << "while it was lost";
}

TEST(RecentHistory, HasNothingOfADeviceThatIsNotThere) {
  AskedRouter router;
  router.live_at(200, 30);
  for (const HistoryReply& reply : {router.ask("h1", 8), router.ask("other", 0)}) {
    EXPECT_EQ(reply.bin, Duration{0});
    EXPECT_TRUE(reply.series.empty());
  }
}

}  // namespace
}  // namespace drover::router
