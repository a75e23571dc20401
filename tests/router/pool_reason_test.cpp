// The reason of a pool without a place, from the reasons of its candidates.
#include <functional>

#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* mixed_and_spare = R"([pool.mixed]
match = { host = "mixed" }
[pool.spare]
match = { host = "spare" }
[[rule]]
name = "chat"
pools = ["mixed"]
  [[rule.fallback]]
  on = ["capacity"]
  to = "spare"
  [[rule.fallback]]
  on = "*"
  action = "queue"
)";

/// Replicas of one model in one pool, each in its own trouble, and a free one in another pool.
struct Mixed : DecisionFixture {
  HostIndex mixed = add_host("mixed", "h100-sxm", 8);
  std::uint16_t count = 0;
  Mixed() : DecisionFixture(mixed_and_spare) {
    add_replica(add_host("spare", "l4", 1), 0, "llama-3.1-8b", {0});
  }

  void add(int replicas, const std::function<void(Replica&)>& change) {
    for (int added = 0; added < replicas; ++added, ++count) {
      Replica replica =
          fleet_state.replicas()[add_replica(mixed, count, "llama-3.1-8b", {count})].replica;
      change(replica);
      fleet_state.apply(now, mixed, replica);
    }
  }
  void add_small(int replicas) {
    add(replicas, [](Replica& replica) { replica.kv_capacity_tokens = 100; });
  }
  void add_full(int replicas) {
    add(replicas, [](Replica& replica) { replica.running = replica.batch_max; });
  }
  void add_leaving(int replicas) {
    add(replicas, [](Replica& replica) { replica.state = ReplicaState::draining; });
  }
  void add_small_and_full(int replicas) {
    add(replicas, [](Replica& replica) {
      replica.kv_capacity_tokens = 100;
      replica.running = replica.batch_max;
    });
  }
};

TEST(PoolReason, IsPermanentOnlyIfEveryCandidateIsPermanentlyExcluded) {
  struct Case {
    int small, full, leaving, small_and_full;
    Reason reason;
  };
  for (const Case& each : {
           Case{5, 0, 0, 0, Reason::memory},
           {3, 2, 0, 0, Reason::capacity},
           {4, 0, 1, 0, Reason::drain},
           {3, 2, 1, 0, Reason::capacity},
           {3, 1, 2, 0, Reason::drain},
           {2, 0, 0, 3, Reason::memory},    // what never fits is not waited for
           {0, 1, 0, 5, Reason::capacity},  // nor counted among those that are
           {0, 2, 2, 0, Reason::drain},     // the first of equals, in the filters' order
       }) {
    Mixed fleet;
    fleet.add_small(each.small);
    fleet.add_full(each.full);
    fleet.add_leaving(each.leaving);
    fleet.add_small_and_full(each.small_and_full);
    const PlacementResult result = fleet.decide(fleet.request());
    SCOPED_TRACE(
        fmt::format("{} {} {} {}", each.small, each.full, each.leaving, each.small_and_full));
    EXPECT_EQ(result.decision.fallback_reason, each.reason);
    EXPECT_EQ(result.decision.pool, each.reason == Reason::capacity ? "spare" : "");
    EXPECT_FALSE(result.impossible) << "another replica could have a larger cache";
  }
}

TEST(PoolReason, CountsOnlyGroupsWithoutAReplicaThatCouldHoldOne) {
  DecisionFixture fleet(mixed_and_spare);
  for (const char* device : {"k80", "k80", "k80", "h100-sxm"}) {
    Register host = DecisionFixture::registration("mixed", device, 1);
    host.host += fmt::format("-{}", fleet.fleet_state.hosts().size());
    ASSERT_TRUE(fleet.fleet_state.register_host(fleet.now, host).ok());
  }
  fleet.policy.pools[0].match.host = "mixed-*";
  assign_pools(fleet.policy, fleet.fleet_state);
  Job job = fleet.request();
  job.work.precisions = {Precision::bf16};
  const Decision decision = fleet.decide(job).decision;
  EXPECT_EQ(rejected(decision, Reason::precision), 3U) << "a K80 computes no bf16";
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
}

TEST(Impossible, IsReportedForTheJobsReasonsNotForAFallbacksPrecision) {
  DecisionFixture fleet(R"([pool.first]
match = { model = "h100*" }
[pool.old]
match = { model = "k80" }
[capability.first]
missing_ops = ["sparse_gather"]
[[rule]]
name = "all"
require = { precision = "bf16" }
pools = ["first"]
  [[rule.fallback]]
  on = "*"
  to = "old"
  change = { precision = "int8" }
)");
  fleet.add_host("first", "h100-sxm", 8);
  for (const char* name : {"a", "b", "c"}) fleet.add_host(name, "k80", 2);
  Job job = fleet.training(1);
  job.work.ops = {"sparse_gather"};
  const PlacementResult result = fleet.decide(job);
  EXPECT_EQ(rejected(result.decision, Reason::precision), 3U) << "a K80 computes no int8";
  EXPECT_EQ(result.impossible, Reason::op_unsupported);
  DecisionFixture old(fleet.policy.text);
  old.add_host("a", "k80", 2);
  EXPECT_EQ(old.decide(job).impossible, Reason::precision) << "nothing else was asked";
  fleet.policy.rules[0].fallbacks[0].change_precision = Precision::fp32;
  EXPECT_EQ(fleet.decide(job).decision.change, "degraded bf16 -> fp32");
}

}  // namespace
}  // namespace drover::router
