#include "router/decision/decide.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* ladder = R"([pool.h100]
match = { model = "h100*" }
[pool.a100]
match = { model = "a100*" }
[pool.l4]
match = { model = "l4" }
[pool.v5e]
match = { model = "v5e" }
[[rule]]
name = "chat"
when = { kind = "inference" }
require = { precision = ["bf16"] }
pools = ["h100", "a100"]
score = { queue = 0.6, latency = 0.4 }
slo = { ttft_ms = 5000 }
  [[rule.fallback]]
  on = ["capacity", "unhealthy"]
  to = "v5e"
  change = { precision = "int8" }
  guard = { est_finish = "< primary * 1000" }
  [[rule.fallback]]
  on = ["drain"]
  action = "reject"
  [[rule.fallback]]
  on = "*"
  to = "l4"
  [[rule.fallback]]
  on = "*"
  action = "queue"
  max_wait_s = 20
[[rule]]
name = "train"
when = { kind = "training" }
pools = ["v5e", "h100"]
score = { cost = 1 }
)";

/// Replicas of one model on an H100 and an L4 host and on a TPU slice.
struct Ladder : DecisionFixture {
  HostIndex h100 = add_host("fast", "h100-sxm", 8);
  HostIndex l4 = add_host("small", "l4", 4);
  HostIndex v5e = add_host("slice", "tpu-v5e", 8, "2x4");
  ReplicaIndex on_h100 = add_replica(h100, 0, "llama-3.1-8b", {0});
  ReplicaIndex on_l4 = add_replica(l4, 0, "llama-3.1-8b", {0});
  ReplicaIndex on_v5e = add_replica(v5e, 0, "llama-3.1-8b", {0, 1, 2, 3}, Precision::int8);
  Ladder() : DecisionFixture(ladder) {}

  void fill(ReplicaIndex replica) {
    for (int request = 0; request < 8; ++request) fleet_state.reserve_request(now, replica, 1, now);
  }
};

TEST(Decide, PromptsWaitForEarlierReservedPrompts) {
  Ladder fleet;
  const auto start_s = [&] {
    return fleet.decide(fleet.request()).decision.top[0].estimate.start_s;
  };
  EXPECT_EQ(start_s(), 0);
  const auto reservation = [&](Duration prompt) {
    return fleet.fleet_state.reserve_request(fleet.now, fleet.on_h100, 1, fleet.now, prompt);
  };
  const ReservedPrompt first = reservation(std::chrono::milliseconds(300));
  const ReservedPrompt second = reservation(std::chrono::milliseconds(200));
  EXPECT_NEAR(start_s(), 0.5, 1e-9);
  fleet.now += std::chrono::milliseconds(400);
  EXPECT_NEAR(start_s(), 0.1, 1e-9);
  // The second one's prompt is all that can be unread when the first has ended.
  fleet.now -= std::chrono::milliseconds(300);
  EXPECT_NEAR(start_s(), 0.4, 1e-9);
  fleet.fleet_state.release_request(fleet.on_h100, 1, first);
  EXPECT_NEAR(start_s(), 0.2, 1e-9);
  fleet.fleet_state.release_request(fleet.on_h100, 1, second);
  EXPECT_EQ(start_s(), 0);
}

TEST(Decide, DecodingSlowsByTheTimeShareOfOtherPrompts) {
  // Two others in flight, so that the batch is the same in each case.
  const auto run_s = [](Duration life, Duration prompt) {
    Ladder fleet;
    for (int other = 0; other < 2; ++other) {
      fleet.fleet_state.reserve_request(fleet.now, fleet.on_h100, 1, fleet.now + life, prompt);
    }
    const Estimate estimate = fleet.decide(fleet.request()).decision.top[0].estimate;
    return estimate.finish_s - estimate.start_s;
  };
  using std::chrono::seconds;
  const double alone_s = run_s(seconds(4), seconds(0));
  // Each reads for an eighth of its life: decoding gets 3/4 of the replica's time.
  const double quarter_s = run_s(seconds(8), seconds(1)) - alone_s;
  // Half each would leave nothing; a fifth is left at least.
  const double bound_s = run_s(seconds(2), seconds(1)) - alone_s;
  EXPECT_GT(quarter_s, 0);
  EXPECT_NEAR(bound_s / quarter_s, (5.0 - 1) / (4.0 / 3 - 1), 1e-6);
}

TEST(Decide, EndedRequestsDoNotSlowOthers) {
  Ladder fleet;
  const auto finish_s = [&] {
    return fleet.decide(fleet.request()).decision.top[0].estimate.finish_s;
  };
  const double alone_s = finish_s();
  const auto prompt = fleet.fleet_state.reserve_request(
      fleet.now, fleet.on_h100, 1, fleet.now + std::chrono::seconds(4), std::chrono::seconds(1));
  EXPECT_EQ(prompt.share_ppm, 250'000);
  EXPECT_GT(finish_s(), alone_s);
  fleet.fleet_state.release_request(fleet.on_h100, 1, prompt);
  EXPECT_EQ(finish_s(), alone_s);
}

TEST(Decide, ThePreferredPoolIsUsedWithoutFallback) {
  Ladder fleet;
  const PlacementResult result = fleet.decide(fleet.request());
  const Decision& decision = result.decision;
  EXPECT_EQ(decision.action, Action::assign);
  EXPECT_EQ(decision.rule, "chat");
  EXPECT_EQ(decision.preferred_pool, "h100");
  EXPECT_EQ(decision.pool, "h100");
  EXPECT_EQ(decision.target, "fast/r0");
  EXPECT_FALSE(decision.fallback_reason);
  EXPECT_EQ(decision.fallback_step, 0);
  ASSERT_TRUE(result.place);
  EXPECT_EQ(result.place->replica, fleet.on_h100);
  EXPECT_GT(result.place->run_s, 0);
  EXPECT_GT(result.place->first_token_s, 0);
  EXPECT_EQ(decision.fleet_version, fleet.fleet_state.version());
}

TEST(Decide, FallsBackByReasonWithADeclaredChange) {
  Ladder fleet;
  fleet.fill(fleet.on_h100);
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.action, Action::assign);
  EXPECT_EQ(decision.pool, "v5e");
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  EXPECT_EQ(decision.fallback_step, 2) << "the rule has two pools: this is its first fallback";
  EXPECT_EQ(decision.change, "degraded bf16 -> int8");
}

TEST(Decide, AGuardThatFailsPassesOnToTheNextFallback) {
  Ladder fleet;
  fleet.fill(fleet.on_h100);
  fleet.policy.rules[0].fallbacks[0].guard.finish_ratio_max = 0.0001;
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.pool, "l4");
  EXPECT_EQ(decision.fallback_step, 4);
  EXPECT_EQ(decision.change, "");
}

TEST(Decide, CostAndEnergyGuardsHold) {
  for (auto guard : {&Guard::extra_cost_max, &Guard::extra_energy_max}) {
    Ladder fleet;
    fleet.fill(fleet.on_h100);
    fleet.policy.rules[0].fallbacks[0].guard = {};
    fleet.policy.rules[0].fallbacks[0].guard.*guard = -0.9999;
    EXPECT_EQ(fleet.decide(fleet.request()).decision.pool, "l4");
  }
}

TEST(Decide, FallbackStepsCountTheOtherPoolsOfTheRuleFirst) {
  Ladder fleet;
  const HostIndex a100 = fleet.add_host("older", "a100-sxm-80gb", 1);
  fleet.add_replica(a100, 0, "llama-3.1-8b", {0});
  fleet.fill(fleet.on_h100);
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.pool, "a100");
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  EXPECT_EQ(decision.fallback_step, 1);
}

TEST(Decide, AQueuedJobDoesNotWaitForAPermanentReason) {
  // The wanted pool could never hold the model; the next one could, but is full.
  Ladder fleet;
  fleet.policy.rules[0].pools = {"l4", "h100"};
  fleet.policy.rules[0].fallbacks.clear();
  fleet.add_replica(fleet.h100, 1, "llama-3.1-70b", {4, 5, 6, 7});
  const Job job = fleet.request("llama-3.1-70b");
  const Decision placed = fleet.decide(job).decision;
  EXPECT_EQ(placed.pool, "h100");
  EXPECT_EQ(placed.fallback_reason, Reason::memory);
  fleet.fill(*fleet.fleet_state.find_replica(fleet.h100, 1));
  const Decision waiting = fleet.decide(job).decision;
  EXPECT_EQ(waiting.action, Action::queue);
  EXPECT_EQ(waiting.preferred_pool, "l4");
  EXPECT_EQ(waiting.fallback_reason, Reason::capacity);
}

TEST(Decide, ActionsRejectAndQueue) {
  Ladder fleet;
  fleet.fleet_state.host(fleet.h100).draining = true;
  EXPECT_EQ(fleet.decide(fleet.request()).decision.action, Action::reject);
  fleet.fleet_state.host(fleet.h100).draining = false;
  for (const ReplicaIndex replica : {fleet.on_h100, fleet.on_l4, fleet.on_v5e}) fleet.fill(replica);
  const PlacementResult result = fleet.decide(fleet.request());
  EXPECT_EQ(result.decision.action, Action::queue);
  EXPECT_EQ(result.decision.fallback_step, 5);
  EXPECT_EQ(result.max_wait, std::chrono::seconds(20));
  EXPECT_TRUE(result.decision.top.empty());
  EXPECT_FALSE(result.place);
  EXPECT_EQ(rejected(result.decision, Reason::capacity), 3U);
}

TEST(Decide, AReplicaIsHotOnlyWhenOneOfItsDevicesIs) {
  for (const auto& [hot, excluded] : {std::pair{1, false}, std::pair{2, true}}) {
    Ladder fleet;
    fleet.add_replica(fleet.h100, 1, "llama-3.1-70b", {0, 2, 5, 7});
    Sample sample;
    sample.device = static_cast<std::uint16_t>(hot);
    sample[Metric::throttle] = throttle_hw_thermal_slowdown;
    fleet.fleet_state.apply(fleet.now, fleet.h100, 1, pack("fast", std::vector<Sample>{sample}));
    const Decision decision = fleet.decide(fleet.request("llama-3.1-70b")).decision;
    EXPECT_EQ(rejected(decision, Reason::thermal), excluded ? 1U : 0U) << hot;
  }
}

TEST(Decide, WithoutAReplicaTheGroupsOfThePoolsGiveTheReasons) {
  Ladder fleet;
  Job job = fleet.request("llama-3.1-70b");
  job.work.ops = {"custom_cuda"};
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(decision.action, Action::queue);
  // No pool of the rule holds the model: capacity on the H100s, memory on the L4s.
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  EXPECT_EQ(rejected(decision, Reason::memory), 1U);
  EXPECT_EQ(rejected(decision, Reason::op_unsupported), 1U);
}

TEST(Decide, TheSloIsDroppedBeforeTheJobWaits) {
  Ladder fleet;
  fleet.policy.rules[0].slo_ttft_s = 1e-6;
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.action, Action::assign);
  EXPECT_EQ(decision.fallback_reason, Reason::queue_slo);
  EXPECT_EQ(decision.change, "slo dropped: best effort");
  EXPECT_EQ(decision.pool, decision.preferred_pool);
  EXPECT_TRUE(stayed(decision));
  EXPECT_FALSE(fell_back(decision));
}

TEST(Decide, AFailedTargetIsUsedOnlyWhenNothingElseIsLeft) {
  Ladder fleet;
  fleet.add_replica(fleet.h100, 1, "llama-3.1-8b", {1});
  const Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);
  ask.avoid = {"fast/r0"};
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    EXPECT_EQ(fleet.decide(ask, seed).decision.target, "fast/r1");
  }
  fleet.policy.rules[0].fallbacks.clear();
  ask.avoid = {"fast/r0", "fast/r1"};
  const Decision decision = fleet.decide(ask).decision;
  EXPECT_EQ(decision.action, Action::assign);
  EXPECT_EQ(decision.pool, "h100");
  EXPECT_FALSE(decision.fallback_reason) << "it is where it was wanted";
  EXPECT_EQ(rejected(decision, Reason::cooldown), 0U);
}

TEST(Decide, AJobPastItsDeadlineIsRejected) {
  Ladder fleet;
  Job job = fleet.request();
  job.deadline = std::chrono::seconds(1);
  const PlacementRequest ask = fleet.ask(job);
  fleet.now += std::chrono::seconds(2);
  const Decision decision = fleet.decide(ask).decision;
  EXPECT_EQ(decision.action, Action::reject);
  EXPECT_EQ(decision.fallback_reason, Reason::deadline);
}

TEST(Decide, NoRuleMeansTheDefaultAction) {
  Ladder fleet;
  fleet.policy.rules.erase(fleet.policy.rules.begin());
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.action, Action::queue);
  EXPECT_EQ(decision.fallback_reason, Reason::policy);
  EXPECT_EQ(fleet.decide(fleet.request()).impossible, Reason::policy);
}

TEST(Decide, TheSameInputsGiveTheSameDecisionBitForBit) {
  for (const Pick pick : {Pick::max, Pick::p2c, Pick::weighted}) {
    Ladder one;
    Ladder two;
    one.policy.rules[0].pick = two.policy.rules[0].pick = pick;
    for (Ladder* fleet : {&one, &two}) {
      for (std::uint16_t device = 1; device < 8; ++device) {
        fleet->add_replica(fleet->h100, device, "llama-3.1-8b", {device});
      }
    }
    std::set<std::string> targets;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Decision first = one.decide(one.request(), seed).decision;
      EXPECT_EQ(first, two.decide(two.request(), seed).decision);
      targets.insert(first.target);
    }
    // All eight are equal but for their load, so the dice must have chosen.
    EXPECT_GT(targets.size(), 3U);
  }
}

TEST(Decide, PowerOfTwoChoicesPicksTheBetterAndExaminesFew) {
  Ladder fleet;
  fleet.policy.rules[0].pick = Pick::p2c;
  const HostIndex big = fleet.add_host("big", "h100-sxm", 64);
  for (std::uint16_t device = 0; device < 64; ++device) {
    fleet.add_replica(big, device, "llama-3.1-8b", {device});
  }
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Decision decision = fleet.decide(fleet.request(), seed).decision;
    EXPECT_EQ(decision.pool, "h100");
    EXPECT_LE(decision.considered, 8U);
    if (decision.top.size() > 1) {
      EXPECT_GE(decision.top[0].score, decision.top[1].score);
    }
  }
}

TEST(Decide, GangsTakeTheLowestFreeAlignedDevices) {
  Ladder fleet;
  const auto place = [&](std::uint16_t gang) {
    const Job job = fleet.training(gang);
    const PlacementResult result = fleet.decide(job);
    if (result.place) {
      fleet.fleet_state.reserve_gang(fleet.now, job.id, result.place->host, result.place->devices,
                                     fleet.now + std::chrono::seconds(100),
                                     result.place->watts_each);
      EXPECT_GT(result.place->watts_each, 0);
    }
    return result.decision;
  };
  EXPECT_EQ(place(4).target, "slice/4-7");  // 0-3 hold a replica
  const Decision next = place(4);
  EXPECT_EQ(next.target, "fast/4-7");
  EXPECT_EQ(next.fallback_reason, Reason::capacity);
  EXPECT_EQ(place(2).target, "fast/2-3");
  EXPECT_EQ(place(1).target, "fast/1");
  EXPECT_EQ(place(1).action, Action::queue);
}

TEST(Decide, TheRecordHoldsThreeCandidatesWithTheirParts) {
  Ladder fleet;
  for (std::uint16_t device = 1; device < 6; ++device) {
    const ReplicaIndex replica = fleet.add_replica(fleet.h100, device, "llama-3.1-8b", {device});
    for (int request = 0; request < device; ++request) {
      fleet.fleet_state.reserve_request(fleet.now, replica, 1, fleet.now);
    }
  }
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.considered, 6U);
  ASSERT_EQ(decision.top.size(), 3U);
  EXPECT_EQ(decision.top[0].target, "fast/r0");
  EXPECT_EQ(decision.top[1].target, "fast/r1");
  EXPECT_EQ(decision.top[2].target, "fast/r2");
  double sum = 0;
  double weights = 0;
  for (const ScorePart& part : decision.top[1].parts) {
    sum += part.value * part.weight;
    weights += part.weight;
  }
  EXPECT_NEAR(decision.top[1].score, sum / weights, 1e-12);
  EXPECT_GT(decision.top[0].estimate.finish_s, 0);
  EXPECT_GT(decision.top[0].estimate.energy_j, 0);
  EXPECT_GT(decision.top[0].estimate.cost_usd, 0);
}

TEST(DecideReplica, TakesTheFewestDevicesOnWhichTheModelFits) {
  struct Case {
    const char* model;
    const char* target;
  };
  // Weights of 16 and 141 GB in bf16 beside 32,768 tokens of KV cache, on devices of 80 GB.
  for (const Case& each : {Case{"llama-3.1-8b", "free/0"}, Case{"llama-3.1-70b", "free/0-3"}}) {
    DecisionFixture fleet(ladder);
    fleet.add_host("free", "h100-sxm", 8);
    const Job job = fleet.request(each.model);
    const PlacementResult result = fleet.decide_replica(job);
    EXPECT_EQ(result.decision.action, Action::start_replica);
    EXPECT_EQ(result.decision.target, each.target);
    ASSERT_TRUE(result.place);
    EXPECT_GT(result.place->run_s, 0);
    EXPECT_TRUE(result.decision.job.empty());
  }
}

TEST(DecideReplica, FindsNoPlaceWhereDevicesAreHeldOrMemoryIsTaken) {
  DecisionFixture fleet(ladder);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 1);
  const Job job = fleet.request();
  EXPECT_EQ(fleet.decide_replica(job).decision.action, Action::start_replica);
  fleet.sample(host, {{Metric::memory_total, 80e9}, {Metric::memory_used, 70e9}});
  EXPECT_EQ(fleet.decide_replica(job).decision.action, Action::queue);
  fleet.sample(host, {{Metric::memory_used, 1e9}});
  fleet.add_replica(host, 0, "bert-large", {0});
  const Decision held = fleet.decide_replica(job).decision;
  EXPECT_EQ(held.action, Action::queue);
  EXPECT_EQ(rejected(held, Reason::capacity), 1U);
}

}  // namespace
}  // namespace drover::router
