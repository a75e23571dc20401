#include "router/decision/failback.h"

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

TEST(Spill, LeavingMustBeatTheMarginAndContinuesUntilTheHysteresis) {
  struct Case {
    bool leaving;
    double stay, leave;
    bool pays;
  };
  const Spill spill{0.10, 0.20, 0, 0};
  for (const Case& row : {Case{false, 11.1, 10, true},
                          {false, 11.0, 10, false},
                          {false, 10, 10, false},
                          {true, 10, 10, true},
                          {true, 10, 12, true},
                          {true, 10, 12.1, false}}) {
    EXPECT_EQ(pays_to_leave(spill, row.leaving, row.stay, row.leave), row.pays)
        << row.leaving << " " << row.stay << " " << row.leave;
  }
}

TEST(Spill, MeasuresCostInTheObjectivesUnit) {
  const Spill spill{0, 0, 36, 50};
  const auto cost = [&](const char* objective) {
    return cost_in_objective(spill, objective, 100, 160, 5'000, 2);
  };
  EXPECT_EQ(cost("latency"), 160);
  EXPECT_EQ(cost("balanced"), 160);
  EXPECT_EQ(cost("cost"), 2 + 36 * 100 / 3600.0);
  EXPECT_EQ(cost("energy"), 5'000 + 50 * 100);
}

Rule sticky_rule() {
  Rule rule;
  rule.name = "chat";
  rule.fallbacks.resize(2);
  rule.fallbacks[1].failback = {seconds(60), 1, ""};
  return rule;
}

TEST(Failback, HoldsAllJobsExceptProbesUntilItExpires) {
  const Rule rule = sticky_rule();
  const Instant start{seconds(1000)};
  FailbackTable book;
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start), FailbackPhase::none);
  book.fell_back(start, "chat", 1, Reason::capacity);
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start), FailbackPhase::probe);
  book.probe_began("chat");
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start + seconds(59)), FailbackPhase::held);
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start + seconds(60)), FailbackPhase::none);
  book.probe_ended("chat", false);
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start + seconds(1)), FailbackPhase::probe);
  book.probe_began("chat");
  book.probe_ended("chat", true);
  EXPECT_EQ(failback_phase(rule, book.find("chat"), start + seconds(1)), FailbackPhase::none);
}

TEST(Failback, IsEnteredOnlyForTemporaryReasons) {
  const Rule rule = sticky_rule();
  const Instant start{seconds(1000)};
  for (int number = 0; number < reason_count; ++number) {
    const auto reason = static_cast<Reason>(number);
    FailbackTable book;
    book.fell_back(start, "chat", 1, reason);
    EXPECT_EQ(failback_phase(rule, book.find("chat"), start) == FailbackPhase::none,
              is_permanent(reason))
        << to_text(reason);
  }
  // Nor does one job's permanent reason end or lengthen what the pool's has begun.
  FailbackTable book;
  book.fell_back(start, "chat", 1, Reason::capacity);
  book.fell_back(start + seconds(30), "chat", 1, Reason::memory);
  EXPECT_EQ(book.find("chat")->fell_back, start);
  EXPECT_EQ(book.find("chat")->reason, Reason::capacity);
}

/// The wanted host's replica has a small cache; a fallback for whatever reason is sticky.
TEST(Failback, AJobTooLargeForThePreferredPoolDoesNotDivertOthers) {
  auto policy = parse_policy(R"([pool.wanted]
match = { host = "small" }
[pool.other]
match = { host = "large" }
[[rule]]
name = "chat"
pools = ["wanted"]
  [[rule.fallback]]
  on = "*"
  to = "other"
  failback = { after_s = "5m", probe = 0 }
)",
                             "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  stage.add_host(1, "small");
  stage.add_host(2, "large");
  Job huge = serve_job(1);
  huge.work.input_tokens = 50'000;
  Replica cache = RouterHarness::replica("small", 0);
  cache.kv_capacity_tokens = 10'000;
  stage.receive(1, ReplicaReport{cache});
  const auto decided = [&](const Job& job) {
    stage.receive(9, Submit{{job}});
    stage.commit();
    stage.tick();
    return stage.published<Decision>().back();
  };
  const Decision first = decided(huge);
  EXPECT_EQ(first.target, "large/r0");
  EXPECT_EQ(first.fallback_reason, Reason::memory);
  EXPECT_EQ(decided(serve_job(2)).target, "small/r0");
}

/// A route that holds, with no probe to spare.
FailbackState held_since(Instant fell_back) {
  FailbackState route;
  route.fallback = 0;
  route.reason = Reason::capacity;
  route.fell_back = fell_back;
  route.probes = 1;
  return route;
}

/// The guard compares with the wanted pool though it is not asked: an H100 that is free in half an
/// hour is better than sixteen hours on a V100.
TEST(Failback, AppliesTheFallbackGuardToHeldJobs) {
  DecisionFixture fleet(R"([pool.fast]
match = { model = "h100*" }
[pool.slow]
match = { model = "v100*" }
[[rule]]
name = "train"
pools = ["fast"]
  [[rule.fallback]]
  on = ["capacity"]
  to = "slow"
  guard = { est_finish = "< primary * 1.5" }
  failback = { after_s = "5m", probe = 0 }
)");
  const HostIndex fast = fleet.add_host("fast", "h100-sxm", 1);
  fleet.add_host("slow", "v100-sxm2-32gb", 1);
  Job job = fleet.training(1);
  job.work.steps = 100'000;
  const auto decided = [&](Duration busy_for) {
    fleet.fleet_state.reserve_gang(fleet.now, {9, 9}, fast, {0}, fleet.now + busy_for, 0);
    const FailbackState held = held_since(fleet.now);
    PlacementRequest ask = fleet.ask(job);
    ask.failback = &held;
    PlacementResult result = fleet.decide(ask);
    fleet.fleet_state.release_gang({9, 9}, fast, {0});
    return result;
  };
  const PlacementResult soon = decided(std::chrono::minutes(1));
  EXPECT_FALSE(soon.place) << "it goes to " << soon.decision.target;
  ASSERT_TRUE(soon.decision.primary) << "the wanted pool could take it";
  EXPECT_NEAR(soon.decision.primary->start_s, 60, 1e-6);
  const PlacementResult late = decided(std::chrono::hours(24 * 30));
  ASSERT_TRUE(late.place);
  EXPECT_EQ(late.decision.pool, "slow");
  EXPECT_TRUE(late.decision.primary);
}

constexpr const char* failback_policy = R"([policy]
objective = "latency"
[pool.fast]
match = { model = "h100*" }
tier = 0
[pool.slow]
match = { model = "l4" }
tier = 1
[pool.slowest]
match = { model = "t4" }
tier = 2
[[rule]]
name = "chat"
pools = ["fast"]
spill = { margin = "10%", back = "10%" }
  [[rule.fallback]]
  on = ["capacity"]
  to = "slow"
  failback = { after_s = 60, probe = 1, floor = "slow" }
  [[rule.fallback]]
  on = ["capacity"]
  to = "slowest"
)";

struct TwoPools : DecisionFixture {
  HostIndex fast = add_host("fast", "h100-sxm", 8);
  HostIndex slow = add_host("slow", "l4", 4);
  HostIndex slowest = add_host("slowest", "t4", 4);
  ReplicaIndex on_fast = add_replica(fast, 0, "llama-3.1-8b", {0});
  ReplicaIndex on_slow = add_replica(slow, 0, "llama-3.1-8b", {0});
  ReplicaIndex on_slowest = add_replica(slowest, 0, "llama-3.1-8b", {0}, Precision::fp16);
  TwoPools() : DecisionFixture(failback_policy) {}

  /// Prompts of so many seconds wait on the fast replica.
  void wait_on_fast(Duration prompts) {
    fleet_state.reserve_request(now, on_fast, 1, now + prompts, prompts);
  }
  double finish_on(const char* pool) {
    Policy only = policy;
    only.rules[0].pools = {pool};
    only.rules[0].fallbacks.clear();
    only.rules[0].spill.reset();
    const Job job = request();
    RandomStream random(1);
    return router::decide(fleet_state, only, estimator, ask(job), now, random)
        .decision.top.at(0)
        .estimate.finish_s;
  }
};

TEST(Spill, AJobStaysWhileWaitingCostsLessThanRunningElsewhere) {
  TwoPools fleet;
  const double elsewhere_s = fleet.finish_on("slow");
  const double here_s = fleet.finish_on("fast");
  ASSERT_GT(elsewhere_s, 2 * here_s);
  fleet.wait_on_fast(from_seconds((elsewhere_s - here_s) / 2));
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.pool, "fast");
  EXPECT_FALSE(decision.fallback_reason);
}

TEST(Spill, AJobLeavesWhenWaitingCostsMoreAndTheDecisionShowsTheSavings) {
  TwoPools fleet;
  fleet.wait_on_fast(from_seconds(2 * fleet.finish_on("slow")));
  const PlacementResult result = fleet.decide(fleet.request());
  const Decision& decision = result.decision;
  EXPECT_EQ(decision.pool, "slow");
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  EXPECT_EQ(result.leaving, true);
  ASSERT_TRUE(decision.primary);
  EXPECT_LT(decision.top[0].estimate.finish_s, decision.primary->finish_s);
}

TEST(Spill, JobsKeepLeavingUntilItCostsMoreByTheHysteresis) {
  // Prompts that make waiting cost as much as leaving, nearly: between the two thresholds.
  double ratio = 0;
  for (int prompts = 1; ratio < 0.95; ++prompts) {
    TwoPools fleet;
    fleet.wait_on_fast(std::chrono::milliseconds(20) * prompts);
    ratio = fleet.finish_on("fast") / fleet.finish_on("slow");
    if (ratio < 0.95) continue;
    ASSERT_LT(ratio, 1.05);
    const Job job = fleet.request();
    EXPECT_EQ(fleet.decide(job).decision.pool, "fast");
    FailbackState leaving;
    leaving.leaving = true;
    PlacementRequest ask = fleet.ask(job);
    ask.failback = &leaving;
    EXPECT_EQ(fleet.decide(ask).decision.pool, "slow");
  }
}

TEST(Failback, HeldJobsUseTheFallbackEvenWhenThePreferredPoolIsFree) {
  TwoPools fleet;
  FailbackState route = held_since(fleet.now);
  const Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);
  ask.failback = &route;
  PlacementResult result = fleet.decide(ask);
  EXPECT_EQ(result.decision.pool, "slow");
  EXPECT_TRUE(result.held);
  EXPECT_EQ(result.decision.change, "retries pool fast within 60 s");
  route.probes = 0;
  result = fleet.decide(ask);
  EXPECT_EQ(result.decision.pool, "fast");
  EXPECT_TRUE(result.probe);
}

TEST(Failback, AHeldJobWaitsInsteadOfGoingBelowTheFloor) {
  TwoPools fleet;
  for (int request = 0; request < 8; ++request) {
    fleet.fleet_state.reserve_request(fleet.now, fleet.on_slow, 1, fleet.now);
  }
  const FailbackState route = held_since(fleet.now);
  const Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);
  ask.failback = &route;
  EXPECT_EQ(fleet.decide(ask).decision.action, Action::queue) << "slowest is below the floor";
  fleet.policy.rules[0].fallbacks[0].failback.floor = "slowest";
  EXPECT_EQ(fleet.decide(ask).decision.pool, "slowest");
}

TEST(Failback, AHeldJobThatCannotUseTheFallbackWaitsForThePreferredPool) {
  TwoPools fleet;
  const FailbackState route = held_since(fleet.now);
  const Job job = fleet.training(8);
  PlacementRequest ask = fleet.ask(job);
  ask.failback = &route;
  const PlacementResult result = fleet.decide(ask);
  EXPECT_TRUE(result.held);
  EXPECT_EQ(result.decision.action, Action::queue) << "the slow host has four devices";
  EXPECT_FALSE(result.impossible) << "the wanted one, which was not asked, has eight";
}

TEST(Failback, AHeldJobWithNoPlaceInTheFallbackPrecisionUsesThePreferredPool) {
  TwoPools fleet;
  fleet.policy.rules[0].fallbacks[0].failback.floor = "";
  for (Fallback& fallback : fleet.policy.rules[0].fallbacks) {
    fallback.change_precision = Precision::int8;  // none is loaded in it
  }
  const FailbackState route = held_since(fleet.now);
  const Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);
  ask.failback = &route;
  EXPECT_EQ(fleet.decide(ask).decision.target, "fast/r0");
}

}  // namespace
}  // namespace drover::router
