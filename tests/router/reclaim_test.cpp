// A spot host that its cloud takes back: who can be, and what the router makes of the notice.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct SpotFleet : ActionHarness {
  SpotFleet() {
    receive(4, Join{Role::agent, "spot-1", "drover test"});
    Register spot = registration("spot-1");
    spot.labels["price"] = "spot";
    receive(4, spot);
    receive_samples("spot-1", 1, idle_samples(8));
    tick();
    commit();
    forget();
  }
};

TEST(Reclaim, IsForSpotHosts) {
  SpotFleet fleet;
  EXPECT_EQ(fleet.ask(inject("host:h100-1", "reclaim")).problem,
            "only spot hosts are reclaimed: h100-1 has no label price=spot");
  EXPECT_EQ(fleet.ask(inject("spot-1/3", "reclaim")).problem,
            "device:spot-1/3: one device cannot be reclaimed; inject into host:spot-1");
  EXPECT_EQ(fleet.ask(inject("site", "reclaim=30")).targets, std::vector<std::string>{"spot-1"});
  ASSERT_EQ(fleet.told<ApplyFault>(4).size(), 1u);
  EXPECT_TRUE(fleet.told<ApplyFault>(4)[0].host);
  EXPECT_EQ(fleet.faults_told(), 0u) << "of the others";
}

TEST(Reclaim, CountsHostsThatAreOnlyPricedAsSpotAsSpotHosts) {
  auto policy = parse_policy(R"([pool.tpu]
match = { kind = "tpu" }
price_per_hour = { spot = 1 }
[pool.gpu]
match = { kind = "gpu" }
price_per_hour = { spot = 1, on_demand = 3 }
[[rule]]
name = "all"
)",
                             "test.toml");
  ASSERT_TRUE(policy) << policy.error().message;
  ActionHarness fleet({}, std::move(policy).value());
  EXPECT_EQ(fleet.ask(inject("site", "reclaim")).targets, std::vector<std::string>{"v5e-1"});
}

/// In how many of its devices' latest news they are drained.
std::size_t shown_drained(const ActionHarness& fleet, const std::string& host) {
  std::map<std::uint16_t, bool> drained;
  for (const DeviceChanged& device : fleet.published<DeviceChanged>()) {
    if (device.host == host) drained[device.device] = device.drained;
  }
  return static_cast<std::size_t>(
      std::count_if(drained.begin(), drained.end(), [](const auto& each) { return each.second; }));
}

TEST(Reclaim, DevicesOfAWarnedHostAreShownDrainedUntilItIsGone) {
  SpotFleet fleet;
  fleet.receive(4, Leave{"reclaimed by the cloud provider", 0, seconds(120)});
  fleet.tick();
  EXPECT_EQ(shown_drained(fleet, "spot-1"), 8U);
  fleet.receive(4, Leave{"reclaimed by the cloud provider", 0, {}});
  fleet.tick();
  EXPECT_EQ(shown_drained(fleet, "spot-1"), 0U) << "they are shown as left";
}

TEST(Reclaim, AWarnedHostGetsNoNewWorkAndIsNotLostYet) {
  SpotFleet fleet;
  fleet.receive(4, Leave{"reclaimed by the cloud provider", 0, seconds(120)});
  EXPECT_EQ(fleet.published<Event>().back().text,
            "reclaimed by the cloud provider in 120 s: no new work for it");
  for (std::uint64_t number = 1; number <= 3; ++number) {
    fleet.receive(client, Submit{{train_job(number, 8)}});
  }
  fleet.live(3, {{1, "h100-1"}, {2, "h100-2"}, {4, "spot-1"}});
  EXPECT_EQ(fleet.told<Assign>(4).size(), 0u);
  const auto hosts = fleet.published<HostChanged>();
  EXPECT_TRUE(std::none_of(hosts.begin(), hosts.end(), [](const HostChanged& host) {
    return host.registration.host == "spot-1" && host.health != Health::ok;
  }));
  fleet.receive(4, Leave{"reclaimed by the cloud provider", 0, {}});
  fleet.tick();
  EXPECT_EQ(fleet.published<HostChanged>().back().health, Health::left);
}

}  // namespace
}  // namespace drover::router
