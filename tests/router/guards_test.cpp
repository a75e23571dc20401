// What guards compare: places that are not as full.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* guarded = R"([pool.first]
match = { host = "first" }
[pool.second]
match = { host = "second" }
[[rule]]
name = "chat"
pools = ["first"]
  [[rule.fallback]]
  on = ["capacity", "drain"]
  to = "second"
)";

/// One replica in each pool.
struct Guarded : DecisionFixture {
  HostIndex first = add_host("first", "h100-sxm", 1);
  ReplicaIndex on_first = add_replica(first, 0, "llama-3.1-8b", {0}, Precision::fp16);
  ReplicaIndex on_second = 0;
  explicit Guarded(const char* device) : DecisionFixture(guarded) {
    on_second = add_replica(add_host("second", device, 1), 0, "llama-3.1-8b", {0}, Precision::fp16);
  }
  void reservation(ReplicaIndex replica, int requests) {
    for (int request = 0; request < requests; ++request) {
      fleet_state.reserve_request(now, replica, 1, now);
    }
  }
};

TEST(Guards, CompareEnergyAndCostOfRequestsAtEqualFill) {
  struct Case {
    const char* what;
    const char* device;  // of the second pool
    int on_first, on_second;
    bool passes;
  };
  const Case cases[] = {
      // Alone, a request pays for the whole device: as if that were dearer than the full one.
      {"an empty twin of a full one", "h100-sxm", 8, 0, true},
      {"a twin that is as full as it can be", "h100-sxm", 8, 7, true},
      // And a well filled place seems cheap beside an empty one, though its tokens are dearer.
      {"a filled one whose requests are dearer", "v100-sxm2-16gb", 0, 6, false},
      {"an empty one whose requests are dearer", "v100-sxm2-16gb", 8, 0, false},
  };
  for (auto guard : {&Guard::extra_cost_max, &Guard::extra_energy_max}) {
    for (const Case& each : cases) {
      SCOPED_TRACE(each.what);
      Guarded fleet(each.device);
      fleet.policy.rules[0].fallbacks[0].guard.*guard = 0.01;
      fleet.reservation(fleet.on_first, each.on_first);
      fleet.reservation(fleet.on_second, each.on_second);
      if (each.on_first < 8) fleet.fleet_state.host(fleet.first).draining = true;
      const Decision decision = fleet.decide(fleet.request()).decision;
      EXPECT_EQ(decision.pool, each.passes ? "second" : "");
      EXPECT_TRUE(decision.primary);
    }
  }
}

TEST(Guards, ComparingAtEqualFillLeavesTheRestOfTheEstimateUnchanged) {
  Guarded held("h100-sxm");
  Guarded open("h100-sxm");
  for (Guarded* fleet : {&held, &open}) fleet->reservation(fleet->on_first, 8);
  held.policy.rules[0].fallbacks[0].guard.extra_cost_max = 0.01;
  held.policy.rules[0].fallbacks[0].guard.finish_ratio_max = 1;
  const Job job = open.request();
  const PlacementResult with = held.decide(job);
  EXPECT_EQ(with.decision, open.decide(job).decision) << "it is charged for what it takes";
  ASSERT_TRUE(with.place);
  EXPECT_GT(with.decision.top[0].estimate.cost_usd, with.decision.primary->cost_usd);
}

}  // namespace
}  // namespace drover::router
