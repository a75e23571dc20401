#include "router/explain.h"

#include <gtest/gtest.h>

#include "router/decision_log.h"
#include "tests/router/small_fleet.h"

namespace drover::router {
namespace {

constexpr const char* plain = R"([pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[[rule]]
name = "all"
require = { precision = ["bf16"] }
pools = ["h100"]
  [[rule.fallback]]
  on = "*"
  to = "l4"
)";

struct Plain : SmallFleet {
  HostIndex h100 = add_host("fast", "h100-sxm", 8);
  HostIndex l4 = add_host("small", "l4", 4);
  Plain() : SmallFleet(plain) {}

  std::vector<Standing> standings() {
    return standings_of(roster, policy, estimator.scratch().record);
  }
  std::vector<NearestFit> nearest(const Job& job) { return nearest(ask(job)); }
  std::vector<NearestFit> nearest(const Ask& ask) {
    return nearest_fits(roster, policy, estimator, ask, now);
  }
  const NearestFit* find(const std::vector<NearestFit>& fits, Reason reason) {
    for (const NearestFit& fit : fits) {
      if (fit.reason == reason) return &fit;
    }
    return nullptr;
  }
};

TEST(Standings, EveryCandidateHasItsScoreOrAllOfItsReasons) {
  Plain fleet;
  fleet.add_replica(fleet.h100, 0, "llama-3.1-8b", {0});
  const ReplicaIndex full = fleet.add_replica(fleet.h100, 1, "llama-3.1-8b", {1});
  for (int request = 0; request < 8; ++request) {
    fleet.roster.promise_request(fleet.now, full, 1, fleet.now);
  }
  fleet.add_replica(fleet.h100, 2, "llama-3.1-8b", {2}, Precision::fp8);
  fleet.roster.set_usable(fleet.h100, 2, false);
  const Decision decision = fleet.decide(fleet.request()).decision;
  const std::vector<Standing> standings = fleet.standings();
  ASSERT_EQ(standings.size(), 3U);
  EXPECT_EQ(standings[0].target, "fast/r0");
  EXPECT_NEAR(standings[0].score.value(), decision.top[0].score, 1e-6);
  EXPECT_EQ(standings[1].target, "fast/r1");
  EXPECT_EQ(standings[1].reasons, std::vector<Reason>{Reason::capacity});
  EXPECT_EQ(standings[2].target, "fast/r2");
  EXPECT_EQ(standings[2].reasons, (std::vector<Reason>{Reason::precision, Reason::unhealthy}));
}

TEST(Standings, CandidatesOfEveryPoolThatWasAskedAreThere) {
  Plain fleet;
  const Job job = fleet.training(4);
  fleet.roster.host(fleet.h100).draining = true;
  EXPECT_EQ(fleet.decide(job).decision.pool, "l4");
  const std::vector<Standing> standings = fleet.standings();
  ASSERT_EQ(standings.size(), 2U);
  EXPECT_EQ(standings[0].target, "small/g0");
  EXPECT_EQ(standings[0].device_class, "l4");
  EXPECT_EQ(standings[1].target, "fast/g0");
  EXPECT_EQ(standings[1].pool, "h100");
  EXPECT_EQ(standings[1].reasons, std::vector<Reason>{Reason::drain});
}

TEST(Standings, AreKeptForAsManyDecisionsAsThereIsRoom) {
  DecisionLog log(10);
  std::vector<RecordRow> record(record_rows_max / 2);
  for (std::uint32_t number = 1; number <= 3; ++number) {
    record.front().place = number;
    log.add(Decision{}, record);
  }
  EXPECT_TRUE(log.record_of(1).empty()) << "its rows were written over";
  ASSERT_EQ(log.record_of(2).size(), record.size());
  EXPECT_EQ(log.record_of(2).front().place, 2U);
  EXPECT_EQ(log.record_of(3).front().place, 3U);
  EXPECT_TRUE(log.record_of(4).empty());
}

TEST(NearestFit, SaysHowLongUntilEnoughDevicesAreFree) {
  Plain fleet;
  fleet.roster.promise_gang(fleet.now, {9, 9}, fleet.h100, {0, 1, 2, 3},
                            fleet.now + std::chrono::seconds(41), 0);
  const auto fits = fleet.nearest(fleet.training(8));
  const NearestFit* wait = fleet.find(fits, Reason::capacity);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->change, "41s");
  EXPECT_EQ(wait->amount, 41);
  EXPECT_EQ(wait->target, "fast/g0");
  const NearestFit* fewer = fleet.find(fits, Reason::topology);
  ASSERT_NE(fewer, nullptr);
  EXPECT_EQ(fewer->change, "4 devices instead of 8") << "on the L4 host";
}

TEST(NearestFit, NamesThePrecisionThatWouldDo) {
  Plain fleet;
  Job job = fleet.training(1);
  job.work.precisions = {Precision::fp4};
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::precision);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->change, "bf16 allowed");
}

TEST(NearestFit, SaysHowMuchMemoryIsMissing) {
  Plain fleet;
  Job job = fleet.training(1, "llama-3.1-8b");
  job.work.batch = 1;
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::memory);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->target.substr(0, 4), "fast") << "less is missing there";
  EXPECT_GT(fit->amount, 1e9);
}

TEST(NearestFit, AChangeOfItsSizePlacesTheJob) {
  Plain fleet;
  fleet.policy.limits.site_power_cap_w = 700;
  const Job job = fleet.training(8);
  ASSERT_EQ(fleet.decide(job).decision.action, Action::queue);
  const auto fits = fleet.nearest(job);
  const NearestFit* fit = fleet.find(fits, Reason::power_cap);
  ASSERT_NE(fit, nullptr);
  fleet.policy.limits.site_power_cap_w = 700 + fit->amount - 1;
  EXPECT_EQ(fleet.decide(job).decision.action, Action::queue);
  fleet.policy.limits.site_power_cap_w = 700 + fit->amount + 1;
  EXPECT_EQ(fleet.decide(job).decision.action, Action::assign);
}

TEST(NearestFit, OfAPoolThatHasItsShareALargerShare) {
  Plain fleet;
  const ReplicaIndex replica = fleet.add_replica(fleet.h100, 0, "llama-3.1-8b", {0});
  fleet.roster.promise_request(fleet.now, replica, 1, fleet.now);
  fleet.policy.pools[0].max_share = 0.5;
  const Job job = fleet.request();
  Ask ask = fleet.ask(job);
  ask.running_jobs = 1;
  EXPECT_EQ(fleet.decide(ask).decision.fallback_reason, Reason::budget);
  const auto fits = fleet.nearest(ask);
  const NearestFit* fit = fleet.find(fits, Reason::budget);
  ASSERT_NE(fit, nullptr);
  EXPECT_EQ(fit->target, "fast/r0");
  EXPECT_EQ(fit->change, "a larger max_share of the pool");
}

TEST(NearestFit, AJobThatFitsNowhereByOneChangeHasNone) {
  Plain fleet;
  fleet.roster.host(fleet.h100).draining = true;
  fleet.roster.host(fleet.l4).draining = true;
  Job job = fleet.training(8);
  job.work.ops = {"no_such_operation"};
  fleet.policy.pools[0].missing_ops = fleet.policy.pools[1].missing_ops = job.work.ops;
  EXPECT_TRUE(fleet.nearest(job).empty());
}

}  // namespace
}  // namespace drover::router
