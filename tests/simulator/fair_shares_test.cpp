// Tenants get their shares of the fleet over time, while several of them have work waiting.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "router/lint/policy_file.h"
#include "simulator/simulation.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

router::Policy with_shares(const std::string& of_small) {
  auto policy = router::parse_policy(R"(
[pool.gpu]
match = { kind = "gpu" }
[[rule]]
name = "all"
pools = ["gpu"]
[limits.per_tenant.large]
share = "70%"
[limits.per_tenant.small]
share = "30%"
)" + of_small,
                                     "shares.toml");
  DROVER_REQUIRE(policy.ok());
  return *std::move(policy);
}

/// Two hosts, and from the start more work of both tenants than they can do; `small` asks first.
Scenario backlog(std::uint64_t seed, router::Policy policy) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.hosts = {host("h100-1", "rack-1", "h100-sxm", 8, "", {}),
                    host("h100-2", "rack-1", "h100-sxm", 8, "", {})};
  scenario.router.software = "simulator";
  scenario.policy = std::move(policy);
  RandomStream random = RandomStream(seed).child("backlog");
  for (int number = 0; number < 400; ++number) {
    for (const char* tenant : {"small", "large"}) {
      Job job =
          training(random, "bert-large", 2, 100 + static_cast<std::uint32_t>(random.below(400)));
      job.tenant = tenant;
      scenario.arrivals.push_back({from_seconds(1 + 0.01 * number), std::move(job)});
    }
  }
  return scenario;
}

/// Device-seconds by tenant of what had ended by then.
std::map<std::string, double> used_until(Scenario scenario, Duration at) {
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(at);
  EXPECT_GT(world.summary().queued, 100U) << "both still have work waiting";
  std::map<std::string, double> used_s;
  for (const auto& [id, ends] : world.seen().ends) {
    used_s[ends.front().job.tenant] += ends.front().usage.device_s;
  }
  return used_s;
}

TEST(FairShares, HoldOverTimeWhileBothTenantsHaveWorkWaiting) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto used_s = used_until(backlog(seed, with_shares("")), minutes(3));
    const double small_s = used_s.at("small"), large_s = used_s.at("large");
    EXPECT_NEAR(small_s / (small_s + large_s), 0.3, 0.04) << "seed " << seed;
  }
}

TEST(FairShares, HoldThroughALostHostAndARouterThatRestarts) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Scenario scenario = backlog(seed, with_shares(""));
    scenario.agent_kills = {{seconds(30), "h100-2", seconds(20)}};
    scenario.router_kills = {{seconds(90), seconds(4)}};
    const auto used_s = used_until(std::move(scenario), minutes(4));
    const double small_s = used_s.at("small"), large_s = used_s.at("large");
    EXPECT_NEAR(small_s / (small_s + large_s), 0.3, 0.06) << "seed " << seed;
  }
}

TEST(FairShares, HoldThoughOneTenantAsksForSingleDevicesAndTheOtherForGangs) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Scenario scenario = backlog(seed, with_shares(""));
    for (Arrival& arrival : scenario.arrivals) {
      const bool large = arrival.job.tenant == "large";
      arrival.job.work.devices = large ? 4 : 1;
      arrival.job.work.batch = 8U * arrival.job.work.devices;
      if (large) arrival.at += seconds(5);  // the small ones have all devices by then
    }
    const auto used_s = used_until(std::move(scenario), minutes(6));
    const double small_s = used_s.at("small"), large_s = used_s.at("large");
    EXPECT_NEAR(small_s / (small_s + large_s), 0.3, 0.08) << "seed " << seed;
  }
}

TEST(FairShares, ATenantThatMayNotBorrowHoldsNoMoreDevicesThanItsShare) {
  Scenario scenario = backlog(4, with_shares("borrow = false\n"));
  // Nobody else wants the fleet: the rest of it stays idle.
  std::erase_if(scenario.arrivals, [](const Arrival& each) { return each.job.tenant == "large"; });
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  for (int second = 5; second < 60; ++second) {
    world.run_for(seconds(second));
    std::size_t held = 0;
    for (const auto& [name, devices] : world.devices()) {
      for (const agents::DeviceTruth& device : devices) held += device.gang ? 1 : 0;
    }
    EXPECT_LE(held, 4U) << "of 16, after " << second << " s";
    EXPECT_GE(held, 2U);
  }
}

}  // namespace
}  // namespace drover::simulator
