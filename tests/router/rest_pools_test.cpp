// Pools that take what no other pool takes.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

using Names = std::vector<std::string>;

Names pools_of(const DecisionFixture& fleet, HostIndex host) {
  Names names;
  const GroupIndex group = fleet.fleet_state.hosts()[host].groups.front();
  for (const std::uint32_t pool : fleet.fleet_state.groups()[group].pools) {
    names.push_back(fleet.policy.pools[pool].name);
  }
  return names;
}

TEST(RestPools, TakeTheDevicesThatNoOtherPoolTakes) {
  // Where it stands in the file makes no difference, and its other keys hold as well.
  DecisionFixture fleet(R"([pool.other_gpus]
match = { kind = "gpu", rest = true }
[pool.other]
match = { rest = true }
[pool.h100]
match = { model = "h100*" }
[pool.north]
match = { rack = "north" }
[[rule]]
name = "all"
)");
  Register in_north = DecisionFixture::registration("n", "k80", 1);
  in_north.rack = "north";
  const HostIndex h100 = fleet.add_host("h", "h100-sxm", 1);
  const HostIndex k80 = fleet.add_host("k", "k80", 1);
  const HostIndex tpu = fleet.add_host("t", "tpu-v5e", 1);
  const auto north = fleet.fleet_state.register_host(fleet.now, in_north);
  ASSERT_TRUE(north.ok());
  assign_pools(fleet.policy, fleet.fleet_state);
  EXPECT_EQ(pools_of(fleet, h100), Names{"h100"});
  EXPECT_EQ(pools_of(fleet, *north), Names{"north"});
  EXPECT_EQ(pools_of(fleet, k80), (Names{"other_gpus", "other"})) << "both are pools of the rest";
  EXPECT_EQ(pools_of(fleet, tpu), Names{"other"});
}

}  // namespace
}  // namespace drover::router
