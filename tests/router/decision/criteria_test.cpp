#include "router/decision/criteria.h"

#include <functional>

#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* criteria_policy = R"([pool.big]
match = { model = "h100*" }
[pool.chips]
match = { model = "v5e" }
[capability.chips]
frameworks = ["jax"]
[[rule]]
name = "chat"
when = { kind = "inference" }
require = { precision = ["bf16", "int8"], mem_headroom = "10%" }
pools = ["big"]
score = { queue = 1 }
[[rule]]
name = "train"
require = { interconnect = "ici" }
pools = ["big"]
score = { cost = 1 }
)";

/// One replica on one H100, one request; each case spoils one thing.
struct Scene {
  DecisionFixture fleet{criteria_policy};
  HostIndex host = fleet.add_host("a", "h100-sxm", 8);
  ReplicaIndex replica = fleet.add_replica(host, 0, "llama-3.1-8b", {0});
  Job job = fleet.request();
  PlacementRequest ask = fleet.ask(job);

  void report(const std::function<void(Replica&)>& change) {
    Replica changed = fleet.fleet_state.replicas()[replica].replica;
    change(changed);
    fleet.fleet_state.apply(fleet.now, host, changed);
  }
};

struct FilterCase {
  Reason reason;
  const char* what;
  void (*spoil)(Scene&);
};

const FilterCase filter_cases[] = {
    {Reason::precision, "the replica's precision is not accepted",
     [](Scene& s) { s.report([](Replica& r) { r.precision = Precision::fp8; }); }},
    {Reason::precision, "job and rule accept nothing in common",
     [](Scene& s) { s.job.work.precisions = {Precision::fp32}; }},
    {Reason::op_unsupported, "the pool misses an operation",
     [](Scene& s) {
       s.job.work.ops = {"fp64_gemm"};
       s.fleet.policy.pools[0].missing_ops = {"fp64_gemm"};
     }},
    {Reason::framework, "the pool does not run the framework",
     [](Scene& s) {
       s.job.work.framework = "jax";
       s.fleet.policy.pools[0].frameworks = {"pytorch"};
     }},
    {Reason::context, "longer than the model's context",
     [](Scene& s) {
       s.report([](Replica& r) { r.kv_capacity_tokens = 1'000'000; });
       s.job.work.input_tokens = 131'072;
     }},
    {Reason::memory, "longer than the whole KV cache less the headroom",
     [](Scene& s) { s.job.work.input_tokens = 95'000; }},
    {Reason::budget, "the pool has its share of the jobs",
     [](Scene& s) {
       s.fleet.policy.pools[0].max_share = 0.3;
       s.fleet.fleet_state.reserve_request(s.fleet.now, s.replica, 10, s.fleet.now);
       s.ask.running_jobs = 1;
     }},
    {Reason::unhealthy, "the host is suspect",
     [](Scene& s) { s.fleet.fleet_state.set_health(s.fleet.now, s.host, Health::suspect); }},
    {Reason::unhealthy, "the host is lost",
     [](Scene& s) { s.fleet.fleet_state.set_health(s.fleet.now, s.host, Health::lost); }},
    {Reason::drain, "the host drains",
     [](Scene& s) { s.fleet.fleet_state.host(s.host).draining = true; }},
    {Reason::drain, "the replica retires",
     [](Scene& s) { s.fleet.fleet_state.replica(s.replica).retiring = true; }},
    {Reason::stale_telemetry, "no sample for six seconds",
     [](Scene& s) { s.fleet.now += std::chrono::seconds(6); }},
    {Reason::thermal, "the device is too hot",
     [](Scene& s) {
       s.fleet.sample(s.host, {{Metric::throttle, throttle_sw_thermal_slowdown}});
     }},
    {Reason::power_cap, "the site is at its cap",
     [](Scene& s) {
       s.fleet.policy.limits.site_power_cap_w = 4000;
       s.fleet.sample(s.host, {{Metric::power, 500}});
     }},
    {Reason::power_cap, "the pool is at its cap",
     [](Scene& s) {
       s.fleet.policy.limits.pool_power_cap_w["big"] = 100;
       s.fleet.sample(s.host, {{Metric::power, 500}});
     }},
    {Reason::budget, "the money is spent",
     [](Scene& s) {
       s.fleet.policy.limits.budget_usd_per_h = 10;
       s.ask.spend_usd_per_h = 10;
     }},
    {Reason::capacity, "the batch is full with promises",
     [](Scene& s) {
       for (int request = 0; request < 8; ++request) {
         s.fleet.fleet_state.reserve_request(s.fleet.now, s.replica, 10, s.fleet.now);
       }
     }},
    {Reason::capacity, "the KV cache is promised",
     [](Scene& s) {
       s.fleet.fleet_state.reserve_request(s.fleet.now, s.replica, 89'900, s.fleet.now);
     }},
    {Reason::capacity, "the replica is loading",
     [](Scene& s) {
       s.report([&](Replica& r) {
         r.state = ReplicaState::loading;
         r.ready_at = s.fleet.now + std::chrono::seconds(30);
       });
     }},
    {Reason::queue_slo, "the first token would be late",
     [](Scene& s) { s.fleet.policy.rules[0].slo_ttft_s = 1e-6; }},
    {Reason::deadline, "it would end after its deadline",
     [](Scene& s) { s.job.deadline = std::chrono::milliseconds(1); }},
    {Reason::deadline, "it would end after the rule's deadline",
     [](Scene& s) { s.fleet.policy.rules[0].slo_deadline_s = 1e-6; }},
};

TEST(Criteria, AnUnimpairedTargetIsNotRejected) {
  Scene scene;
  const PlacementResult result = scene.fleet.decide(scene.ask);
  EXPECT_EQ(result.decision.action, Action::assign);
  EXPECT_TRUE(result.decision.rejections.empty());
  EXPECT_FALSE(result.decision.fallback_reason.has_value());
}

TEST(Criteria, EachFilterRejectsForItsReasonAndNoOther) {
  for (const FilterCase& each : filter_cases) {
    SCOPED_TRACE(each.what);
    Scene scene;
    each.spoil(scene);
    // Asked to wait for this reason, a wish is not given up.
    Fallback wait;
    wait.on = {each.reason};
    wait.action = FallbackAction::queue;
    scene.fleet.policy.rules[0].fallbacks = {wait};
    const Decision decision = scene.fleet.decide(scene.ask).decision;
    EXPECT_EQ(decision.action, Action::queue);
    EXPECT_EQ(decision.fallback_reason, each.reason);
    ASSERT_EQ(decision.rejections.size(), 1U);
    EXPECT_EQ(decision.rejections[0], (Rejection{"big", "h100-sxm", each.reason, 1}));
    EXPECT_EQ(decision.considered, 1U);
  }
}

struct GangCase {
  const char* what;
  const char* device;
  std::uint16_t group;
  std::uint16_t gang;
  std::optional<Reason> reason;
};

TEST(Criteria, GangsNeedTheRightShape) {
  const GangCase cases[] = {
      {"a whole slice", "tpu-v5e", 8, 4, std::nullopt},
      {"no such slice", "tpu-v5e", 8, 3, Reason::topology},
      {"larger than any group", "tpu-v5e", 8, 16, Reason::topology},
      {"the wrong interconnect", "h100-sxm", 8, 4, Reason::topology},
      {"one device needs no interconnect", "h100-sxm", 8, 1, std::nullopt},
  };
  for (const GangCase& each : cases) {
    SCOPED_TRACE(each.what);
    DecisionFixture fleet(criteria_policy);
    fleet.policy.rules[1].pools = {"big", "chips"};
    fleet.policy.pools[1].frameworks = {};
    fleet.add_host("a", each.device, each.group);
    const Decision decision = fleet.decide(fleet.training(each.gang)).decision;
    EXPECT_EQ(decision.action, each.reason ? Action::queue : Action::assign);
    if (each.reason) {
      EXPECT_EQ(rejected(decision, *each.reason), 1U);
    }
  }
}

TEST(Criteria, TrainingThatDoesNotFitIsRejectedForMemory) {
  DecisionFixture fleet(criteria_policy);
  fleet.add_host("a", "h100-sxm", 8);
  const Decision decision = fleet.decide(fleet.training(1, "llama-3.1-70b")).decision;
  EXPECT_EQ(rejected(decision, Reason::memory), 1U);
}

void learn_that_it_is_slow(DecisionFixture& fleet, HostIndex host, ReplicaIndex /*replica*/) {
  for (int n = 0; n < 30; ++n) {
    fleet.estimator.learn(fleet.fleet_state.hosts()[host].groups[0], WorkKind::serve,
                          "llama-3.1-8b", 1, 2, 1);
  }
}

TEST(Criteria, ScorersPreferTheBetterPlace) {
  struct Case {
    Scorer scorer;
    void (*worsen)(DecisionFixture&, HostIndex worse, ReplicaIndex replica);
  };
  const Case cases[] = {
      {Scorer::queue,
       [](DecisionFixture& fleet, HostIndex, ReplicaIndex replica) {
         fleet.fleet_state.reserve_request(fleet.now, replica, 10, fleet.now);
       }},
      {Scorer::finish_time, learn_that_it_is_slow},
      {Scorer::temperature,
       [](DecisionFixture& fleet, HostIndex host, ReplicaIndex) {
         fleet.sample(host, {{Metric::temperature, 80}});
       }},
      {Scorer::power_headroom,
       [](DecisionFixture& fleet, HostIndex host, ReplicaIndex) {
         fleet.sample(host, {{Metric::power, 600}, {Metric::power_cap, 700}});
       }},
      {Scorer::start_time,
       [](DecisionFixture& fleet, HostIndex, ReplicaIndex replica) {
         fleet.policy.pools[0].overprovision = 2;
         for (int n = 0; n < 8; ++n) {  // the batch: one more waits for a place
           fleet.fleet_state.reserve_request(fleet.now, replica, 10, fleet.now);
         }
       }},
      {Scorer::latency, learn_that_it_is_slow},
      {Scorer::energy, learn_that_it_is_slow},
      {Scorer::cost, [](DecisionFixture& fleet, HostIndex host,
                        ReplicaIndex) { fleet.fleet_state.host(host).price_factor = 2; }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(to_text(each.scorer)));
    DecisionFixture fleet(criteria_policy);
    fleet.policy.rules[0].weights = {};
    fleet.policy.rules[0].weights[static_cast<std::size_t>(each.scorer)] = 1;
    const HostIndex worse = fleet.add_host("a", "h100-sxm", 1);
    const HostIndex better = fleet.add_host("b", "h100-sxm", 1);
    const ReplicaIndex replica = fleet.add_replica(worse, 0, "llama-3.1-8b", {0});
    fleet.add_replica(better, 0, "llama-3.1-8b", {0});
    each.worsen(fleet, worse, replica);
    const Decision decision = fleet.decide(fleet.request()).decision;
    EXPECT_EQ(decision.target, "b/r0");
    ASSERT_EQ(decision.top.size(), 2U);
    EXPECT_GT(decision.top[0].score, decision.top[1].score);
    for (const Candidate& candidate : decision.top) {
      ASSERT_EQ(candidate.parts.size(), 1U);
      EXPECT_GE(candidate.parts[0].value, 0);
      EXPECT_LE(candidate.parts[0].value, 1);
    }
  }
}

void weigh_only(DecisionFixture& fleet, Scorer scorer) {
  for (Rule& rule : fleet.policy.rules) {
    rule.weights = {};
    rule.weights[static_cast<std::size_t>(scorer)] = 1;
    rule.interconnects = {};
  }
}

TEST(Criteria, FragmentationPrefersTheGroupThatItFills) {
  DecisionFixture fleet(criteria_policy);
  weigh_only(fleet, Scorer::fragmentation);
  fleet.add_host("wide", "h100-sxm", 8);
  fleet.add_host("narrow", "h100-sxm", 2);
  const Decision decision = fleet.decide(fleet.training(2)).decision;
  EXPECT_EQ(decision.target, "narrow/0-1");
  ASSERT_EQ(decision.top.size(), 2U);
  EXPECT_DOUBLE_EQ(decision.top[0].score, 1);
  EXPECT_DOUBLE_EQ(decision.top[1].score, 0.25);  // six of eight would stay free
}

TEST(Criteria, LocalityPrefersTheHostThatHasTheWeightsThenTheRack) {
  DecisionFixture fleet(criteria_policy);
  weigh_only(fleet, Scorer::locality);
  fleet.add_host("near", "h100-sxm", 8);
  const HostIndex far = fleet.add_host("far", "h100-sxm", 8);
  const HostIndex holder = fleet.add_host("holder", "h100-sxm", 8);
  fleet.fleet_state.host(far).registration.rack = "rack-2";
  fleet.add_replica(holder, 0, "llama-3.1-8b", {0});
  const Decision decision = fleet.decide_replica(fleet.request()).decision;
  ASSERT_EQ(decision.top.size(), 3U);
  EXPECT_EQ(decision.top[0].target, "holder/1");
  EXPECT_EQ(decision.top[1].target, "near/0");
  EXPECT_EQ(decision.top[2].target, "far/0");
  EXPECT_DOUBLE_EQ(decision.top[0].score, 2.0 / 3);
  EXPECT_DOUBLE_EQ(decision.top[1].score, 1.0 / 3);
  EXPECT_DOUBLE_EQ(decision.top[2].score, 0);
}

TEST(Criteria, SwitchCostPrefersTheShorterWarmUp) {
  DecisionFixture fleet(criteria_policy);
  weigh_only(fleet, Scorer::switch_cost);
  fleet.policy.pools[0].match.model = "";  // both kinds in one pool
  fleet.add_host("chips", "tpu-v5e", 8, "2x4");
  fleet.add_host("cards", "h100-sxm", 8);
  const PlacementResult result = fleet.decide_replica(fleet.request());
  // A TPU compiles each shape before it is warm.
  EXPECT_EQ(result.decision.target, "cards/0");
  ASSERT_EQ(result.decision.top.size(), 2U);
  EXPECT_LT(result.decision.top[1].score, result.decision.top[0].score);
}

TEST(Criteria, APoolAtItsPowerCapFallsBackForThatReason) {
  DecisionFixture fleet(criteria_policy);
  fleet.policy.rules[0].pools = {"big", "chips"};
  fleet.policy.limits.pool_power_cap_w["big"] = 1000;
  const HostIndex hot = fleet.add_host("hot", "h100-sxm", 8);
  const HostIndex cool = fleet.add_host("cool", "tpu-v5e", 8, "2x4");
  fleet.add_replica(hot, 0, "llama-3.1-8b", {0});
  fleet.add_replica(cool, 0, "llama-3.1-8b", {0, 1}, Precision::int8);
  fleet.sample(hot, {{Metric::power, 300}});
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.target, "cool/r0");
  EXPECT_EQ(decision.preferred_pool, "big");
  EXPECT_EQ(decision.fallback_reason, Reason::power_cap);
  EXPECT_EQ(rejected(decision, Reason::power_cap), 1U);
}

TEST(Criteria, AnEmptyPoolIsNeitherPreferredNorAFallback) {
  DecisionFixture fleet(criteria_policy);
  fleet.policy.rules[0].pools = {"big", "chips"};
  const HostIndex host = fleet.add_host("a", "tpu-v5e", 8, "2x4");
  fleet.add_replica(host, 0, "llama-3.1-8b", {0, 1}, Precision::int8);
  const Decision decision = fleet.decide(fleet.request()).decision;
  EXPECT_EQ(decision.target, "a/r0");
  EXPECT_EQ(decision.preferred_pool, "chips");
  EXPECT_FALSE(decision.fallback_reason.has_value());
}

}  // namespace
}  // namespace drover::router
