// What a decision says of pools that no device of the fleet is in, or none that lives.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* many_pools = R"([pool.tpu]
match = { kind = "tpu" }
[pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[pool.t4]
match = { model = "t4" }
[[rule]]
name = "chat"
pools = ["tpu", "h100"]
  [[rule.fallback]]
  on = "*"
  to = "t4"
  [[rule.fallback]]
  on = "*"
  to = "l4"
)";

using Names = std::vector<std::string>;

TEST(AbsentPools, AreListedOnlyOnceTheDecisionReachesThem) {
  DecisionFixture fleet(many_pools);
  const auto decided = [&] { return fleet.decide(fleet.request()).decision; };
  Decision decision = decided();
  EXPECT_EQ(decision.action, Action::queue);
  EXPECT_EQ(decision.preferred_pool, "tpu");
  EXPECT_EQ(decision.empty_pools, (Names{"tpu", "h100", "t4", "l4"}));

  const HostIndex l4 = fleet.add_host("small", "l4", 1);
  fleet.add_replica(l4, 0, "llama-3.1-8b", {0});
  decision = decided();
  EXPECT_EQ(decision.pool, "l4");
  EXPECT_EQ(decision.preferred_pool, "tpu") << "nothing that the rule wants is there";
  EXPECT_EQ(decision.fallback_reason, Reason::capacity);
  EXPECT_EQ(decision.empty_pools, (Names{"tpu", "h100", "t4"}));

  fleet.add_replica(fleet.add_host("fast", "h100-sxm", 1), 0, "llama-3.1-8b", {0});
  decision = decided();
  EXPECT_EQ(decision.preferred_pool, "h100");
  EXPECT_FALSE(decision.fallback_reason) << "one policy serves fleets without a TPU";
  EXPECT_EQ(decision.empty_pools, Names{"tpu"});

  const HostIndex slice = fleet.add_host("slice", "tpu-v5e", 1, "1x1");
  fleet.add_replica(slice, 0, "llama-3.1-8b", {0});
  decision = decided();
  EXPECT_EQ(decision.pool, "tpu");
  EXPECT_TRUE(decision.empty_pools.empty());

  // A pool whose hosts are all lost is there, and is not well.
  fleet.fleet_state.set_health(fleet.now, slice, Health::lost);
  decision = decided();
  EXPECT_EQ(decision.preferred_pool, "tpu");
  EXPECT_EQ(decision.pool, "h100");
  EXPECT_EQ(decision.fallback_reason, Reason::unhealthy);
  EXPECT_TRUE(decision.empty_pools.empty());
}

}  // namespace
}  // namespace drover::router
