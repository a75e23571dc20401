// What hosts that were forgotten leave to others: their rows, their indices, and nothing of theirs.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "router/fleet_state/what_if_fleet.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Register hello_of(const std::string& host, std::uint16_t devices) {
  return DecisionFixture::registration(host, "h100-sxm", devices);
}

void leave(FleetState& fleet_state, Instant now, const std::string& host) {
  const HostIndex index = *fleet_state.find_host(host);
  fleet_state.set_health(now, index, Health::left);
  fleet_state.forget_host(index);
}

TEST(ForgottenHosts, FreeTheirRowsWithoutLeavingDeviceState) {
  DecisionFixture fleet(one_pool, {100, 16});
  const HostIndex a = fleet.add_host("a", "h100-sxm", 8);
  fleet.add_host("b", "h100-sxm", 8);
  fleet.add_replica(a, 0, "llama-3.1-8b", {0, 1});
  fleet.sample(a, {{Metric::power, 500}, {Metric::energy, 1234}, {Metric::temperature, 80}});
  EXPECT_FALSE(fleet.fleet_state.register_host(fleet.now, hello_of("c", 8)));
  EXPECT_TRUE(fleet.fleet_state.refused_for_capacity());

  leave(fleet.fleet_state, fleet.now, "a");
  const HostIndex c = fleet.add_host("c", "h100-sxm", 8);
  EXPECT_EQ(fleet.fleet_state.devices().size(), 16U);
  EXPECT_EQ(fleet.fleet_state.emulated_device_count(), 16U);
  for (const DeviceIndex device : fleet.fleet_state.hosts()[c].devices) {
    EXPECT_EQ(fleet.fleet_state.devices().host[device], c);
    EXPECT_EQ(fleet.fleet_state.devices().sampled[device], Instant{});
    EXPECT_EQ(fleet.fleet_state.devices().temperature_c[device], 0);
    EXPECT_EQ(fleet.fleet_state.devices().energy_j[device], 0);
    EXPECT_EQ(fleet.fleet_state.devices().replicas[device], 0);
  }
  EXPECT_EQ(fleet.fleet_state.power_w(), 0);

  EXPECT_FALSE(fleet.fleet_state.register_host(fleet.now, hello_of("a", 8)))
      << "there is no room for it now";
  leave(fleet.fleet_state, fleet.now, "b");
  EXPECT_EQ(fleet.add_host("a", "h100-sxm", 8), a) << "it is known by its name";
}

TEST(ForgottenHosts, SmallOnesLeaveRoomForALargeOne) {
  DecisionFixture fleet(one_pool, {100, 16});
  for (const char* host : {"a", "b", "c", "d"}) fleet.add_host(host, "h100-sxm", 4);
  for (const char* host : {"c", "a", "b"}) leave(fleet.fleet_state, fleet.now, host);
  EXPECT_TRUE(fleet.fleet_state.register_host(fleet.now, hello_of("e", 12)));
  EXPECT_EQ(fleet.fleet_state.devices().size(), 16U);
}

TEST(ForgottenHosts, AHostThatGrowsFreesItsOldRows) {
  DecisionFixture fleet(one_pool);
  const HostIndex a = fleet.add_host("a", "h100-sxm", 4);
  fleet.add_host("a", "h100-sxm", 8);
  EXPECT_EQ(fleet.fleet_state.devices().size(), 12U);
  fleet.add_host("b", "h100-sxm", 4);
  EXPECT_EQ(fleet.fleet_state.devices().size(), 12U);
  fleet.sample(a, {{Metric::power, 500}});
  EXPECT_EQ(fleet.fleet_state.power_w(), 8 * 500);
}

TEST(ForgottenHosts, JoiningAndLeavingUnderNewNamesFillsNoTable) {
  DecisionFixture fleet(one_pool, {4, 64});
  for (std::uint32_t turn = 0; turn < 1'000; ++turn) {
    fleet.now += seconds(1);
    const std::string name = "pod-" + std::to_string(turn);
    const std::uint16_t devices = static_cast<std::uint16_t>(1 + turn % 16);
    const HostIndex host = fleet.add_host(name, "h100-sxm", devices);
    ASSERT_LT(host, 4U);
    for (std::uint32_t number = 0; number < 8; ++number) {
      ASSERT_NE(fleet.add_replica(host, number, "llama-3.1-8b", {0}), no_index);
    }
    leave(fleet.fleet_state, fleet.now, name);
    ASSERT_FALSE(fleet.fleet_state.find_host(name));
  }
  EXPECT_LE(fleet.fleet_state.devices().size(), 64U);
  EXPECT_EQ(fleet.fleet_state.hosts().size(), 4U);
  EXPECT_EQ(fleet.fleet_state.groups().size(), 1U);
  EXPECT_EQ(fleet.fleet_state.replicas().size(), 8U);
  EXPECT_EQ(fleet.fleet_state.take_replaced_hosts().size(), 996U);
  EXPECT_TRUE(fleet.fleet_state.replicas_of("llama-3.1-8b").empty());
}

TEST(ForgottenHosts, TheLongestGoneMakesRoomAndAKnownHostNeverDoes) {
  DecisionFixture fleet(one_pool, {3, 64});
  for (const char* host : {"a", "b", "c"}) fleet.add_host(host, "h100-sxm", 1);
  const auto late = fleet.fleet_state.register_host(fleet.now, hello_of("d", 1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "Register of d: it would be host number 4, expected at most 3");
  EXPECT_TRUE(fleet.fleet_state.refused_for_capacity());
  leave(fleet.fleet_state, fleet.now + seconds(2), "a");
  leave(fleet.fleet_state, fleet.now + seconds(1), "c");
  EXPECT_TRUE(fleet.fleet_state.register_host(fleet.now + seconds(3), hello_of("d", 1)));
  EXPECT_EQ(fleet.fleet_state.take_replaced_hosts(), std::vector<std::string>{"c"});
  EXPECT_TRUE(fleet.fleet_state.find_host("b"));
  EXPECT_TRUE(fleet.fleet_state.register_host(fleet.now + seconds(4), hello_of("a", 1)));
  EXPECT_TRUE(fleet.fleet_state.take_replaced_hosts().empty()) << "it has its own index again";
  EXPECT_FALSE(fleet.fleet_state.register_host(fleet.now + seconds(4), hello_of("c", 1)));
}

TEST(ForgottenHosts, AWhatIfQueryLeavesTheFleetUnchanged) {
  DecisionFixture fleet(one_pool);
  fleet.add_replica(fleet.add_host("a", "h100-sxm", 1), 0, "llama-3.1-8b", {0});
  leave(fleet.fleet_state, fleet.now, "a");
  const HostIndex b = fleet.add_host("b", "h100-sxm", 8);
  const auto copy = [&](std::uint32_t number) {
    Replica replica = RouterHarness::replica("b", number, "llama-3.1-8b", 3);
    return replica;
  };
  for (int time = 0; time < 2; ++time) {
    WhatIfFleet trial(fleet.fleet_state);
    trial.load(fleet.now, b, copy(0));
    trial.load(fleet.now, b, copy(1));
    EXPECT_EQ(fleet.fleet_state.replicas_of("llama-3.1-8b").size(), 2U);
  }
  EXPECT_TRUE(fleet.fleet_state.replicas_of("llama-3.1-8b").empty());
  EXPECT_EQ(fleet.fleet_state.replicas().size(), 1U);
  EXPECT_EQ(fleet.add_replica(b, 0, "llama-3.1-8b", {0}), 0U) << "the forgotten host's slot";
  EXPECT_EQ(fleet.add_replica(b, 1, "llama-3.1-8b", {1}), 1U);
}

TEST(ForgottenHosts, TheirLostSamplesStillCount) {
  DecisionFixture fleet(one_pool, {1, 8});
  fleet.sample(fleet.add_host("a", "h100-sxm", 8), {{Metric::power, 500}});
  fleet.sample_sequence += 10;
  fleet.sample(0, {{Metric::power, 500}});
  EXPECT_EQ(fleet.fleet_state.sample_gaps(), 10U);
  leave(fleet.fleet_state, fleet.now, "a");
  fleet.sample(fleet.add_host("b", "h100-sxm", 8), {{Metric::power, 500}});
  EXPECT_EQ(fleet.fleet_state.sample_gaps(), 10U);
  fleet.sample_sequence = std::numeric_limits<std::uint64_t>::max() - 2;
  fleet.sample(0, {{Metric::power, 500}});
  EXPECT_EQ(fleet.fleet_state.sample_gaps(), 1'000'000'010U)
      << "a number that leaps is not believed";
}

ActionReply forget(RouterHarness& stage, const std::string& host) {
  stage.delivered.clear();
  stage.receive(9, ForgetHost{host});
  stage.commit();
  const auto replies = stage.told<ActionReply>(9);
  DROVER_REQUIRE(replies.size() == 1);
  return replies[0];
}

TEST(ForgottenHosts, AreNotChargedToTheHostThatReusesTheirRows) {
  RouterSettings settings;
  settings.fleet_state_limits = {1, 8};
  RouterHarness stage(settings);
  const auto energy_j = [&] { return stage.router->summary(stage.now).fleet_energy_j; };
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  stage.add_host(1, "h1");
  stage.receive_samples("h1", 100, RouterHarness::idle_samples(8, 500));
  EXPECT_EQ(energy_j(), 8 * 500);
  stage.receive(2, stage.registration("h2"));
  EXPECT_EQ(stage.told<JoinRejected>(2).size(), 1U);
  stage.live(30, {});
  ASSERT_TRUE(forget(stage, "h1").applied);
  stage.add_host(2, "h2");
  stage.receive_samples("h2", 100, RouterHarness::idle_samples(8, 400));
  EXPECT_EQ(energy_j(), 8 * (500 + 400)) << "its own counters, from zero";
  stage.receive_samples("h2", 200, RouterHarness::idle_samples(8, 700));
  EXPECT_EQ(energy_j(), 8 * (500 + 700));
}

TEST(ForgottenHosts, AreChargedOnceAcrossARouterRestart) {
  RouterHarness stage;
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  stage.add_host(1, "h1");
  stage.receive_samples("h1", 100, RouterHarness::idle_samples(8, 300));
  stage.live(12, {{1, "h1"}});  // the counters are in the ledger, and then they grow
  stage.receive_samples("h1", 200, RouterHarness::idle_samples(8, 500));
  stage.receive(1, Leave{"SIGINT", 0});
  ASSERT_TRUE(forget(stage, "h1").applied);
  stage.live(13, {});
  ASSERT_TRUE(stage.restart());
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  stage.receive_samples("h1", 300, RouterHarness::idle_samples(8, 500));
  EXPECT_EQ(stage.router->summary(stage.now).fleet_energy_j, 8 * 500);
}

}  // namespace
}  // namespace drover::router
