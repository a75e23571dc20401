// What decisions make of places that are not well, or have only just come back.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* big_and_chips = R"([pool.big]
match = { model = "h100*" }
[pool.chips]
match = { model = "v5e" }
[[rule]]
name = "chat"
when = { kind = "inference" }
pools = ["big", "chips"]
score = { queue = 3, cost = 1 }
[[rule]]
name = "train"
pools = ["big"]
score = { cost = 1 }
)";

/// Hosts h0, h1, .. of one H100 each, with a replica each.
struct Hosts : DecisionFixture {
  explicit Hosts(int count) : DecisionFixture(big_and_chips) {
    for (int n = 0; n < count; ++n) {
      hosts.push_back(add_host(fmt::format("h{}", n), "h100-sxm", 1));
      replicas.push_back(add_replica(hosts.back(), 0, "llama-3.1-8b", {0}));
    }
  }
  void silence(std::size_t host, Health health = Health::suspect) {
    fleet_state.set_health(now, hosts[host], health);
  }
  void eject(std::size_t host) { fleet_state.replica(replicas[host]).outlier.ejected = true; }
  void fill(std::size_t host) {
    for (int n = 0; n < 8; ++n) fleet_state.reserve_request(now, replicas[host], 10, now);
  }
  Decision decide_request() { return decide(request()).decision; }
  std::vector<HostIndex> hosts;
  std::vector<ReplicaIndex> replicas;
};

// ---- Ejected -----------------------------------------------------------------------------------

TEST(DecideHealth, AnEjectedReplicaGetsNothingNew) {
  Hosts fleet(2);
  fleet.eject(0);
  for (int n = 0; n < 9; ++n) EXPECT_EQ(fleet.decide_request().target, "h1/r0");
  EXPECT_EQ(rejected(fleet.decide_request(), Reason::cooldown), 1U);
}

TEST(DecideHealth, AnEjectedGroupGetsNoGang) {
  DecisionFixture fleet(big_and_chips);
  const HostIndex first = fleet.add_host("a", "h100-sxm", 8);
  fleet.add_host("b", "h100-sxm", 8);
  fleet.fleet_state.group(fleet.fleet_state.hosts()[first].groups[0]).outlier.ejected = true;
  const Decision decision = fleet.decide(fleet.training(2)).decision;
  EXPECT_EQ(decision.target, "b/0-1");
  EXPECT_EQ(rejected(decision, Reason::cooldown), 1U);
}

// ---- Panic -------------------------------------------------------------------------------------

constexpr const char* panicked = "panic: unhealthy hosts used";

TEST(DecideHealth, PanicConsidersTheWholePoolHoweverLargeItIs) {
  for (const auto& [silent, in_panic_mode] : {std::pair{72, false}, std::pair{90, true}}) {
    Hosts fleet(160);
    for (std::size_t host = 0; host < fleet.hosts.size(); ++host) {
      // The first rows of a scan are all silent; those that are well have no room.
      if (host < static_cast<std::size_t>(silent)) {
        fleet.silence(host);
      } else {
        fleet.fill(host);
      }
    }
    const Decision decision = fleet.decide_request();
    EXPECT_EQ(decision.action, in_panic_mode ? Action::assign : Action::queue) << silent;
    if (in_panic_mode) {
      EXPECT_EQ(decision.change, panicked);
    }
    EXPECT_EQ(rejected(decision, Reason::unhealthy), in_panic_mode ? 0U : 72U);
    EXPECT_EQ(rejected(decision, Reason::capacity), in_panic_mode ? 70U : 88U);
  }
}

TEST(DecideHealth, EveryReplicaOfALargePoolIsConsidered) {
  Hosts fleet(160);
  for (const std::size_t host : {0, 63, 64, 127, 128, 159}) fleet.eject(host);
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.considered, 160U);
  EXPECT_EQ(rejected(decision, Reason::cooldown), 6U);
}

TEST(DecideHealth, SilentHostsAreUsedWhenMostOfThePoolIsSilent) {
  Hosts fleet(3);
  fleet.silence(0);
  fleet.silence(1);
  EXPECT_EQ(fleet.decide_request().target, "h2/r0") << "what is well comes first";
  EXPECT_EQ(fleet.decide_request().change, "");
  fleet.fill(2);
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.action, Action::assign);
  EXPECT_TRUE(decision.target == "h0/r0" || decision.target == "h1/r0") << decision.target;
  EXPECT_EQ(decision.change, panicked);
  EXPECT_EQ(decision.fallback_reason, Reason::unhealthy);
}

TEST(DecideHealth, AHalfHealthyPoolDoesNotPanic) {
  Hosts fleet(4);
  fleet.silence(0);
  fleet.silence(1);
  fleet.fill(2);
  fleet.fill(3);
  EXPECT_EQ(fleet.decide_request().action, Action::queue);
  fleet.silence(2);
  EXPECT_EQ(fleet.decide_request().change, panicked);
}

TEST(DecideHealth, TheThresholdComesFromThePolicy) {
  Hosts fleet(3);
  for (const std::size_t host : {0U, 1U, 2U}) fleet.silence(host);
  fleet.policy.panic.below = 0;
  EXPECT_EQ(fleet.decide_request().action, Action::queue);
  fleet.policy.panic.below = 0.01;
  EXPECT_EQ(fleet.decide_request().change, panicked);
}

TEST(DecideHealth, APanicSetToFailRejectsTheJobAtOnce) {
  Hosts fleet(2);
  fleet.silence(0);
  fleet.silence(1);
  fleet.policy.panic.action = PanicAction::fail;
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.action, Action::reject);
  EXPECT_EQ(decision.fallback_reason, Reason::unhealthy);
  EXPECT_EQ(decision.change, "panic: rejected");
}

TEST(DecideHealth, LostHostsAndUnusableDevicesAreNeverUsed) {
  Hosts fleet(4);
  fleet.silence(0, Health::lost);
  fleet.silence(1, Health::lost);
  fleet.fleet_state.set_usable(fleet.hosts[2], 0, false);
  fleet.fleet_state.set_usable(fleet.hosts[3], 0, false);
  EXPECT_EQ(fleet.decide_request().action, Action::queue);
}

TEST(DecideHealth, AnotherHealthyPoolComesBeforePanic) {
  Hosts fleet(2);
  fleet.silence(0);
  fleet.silence(1);
  const HostIndex chips = fleet.add_host("chips", "tpu-v5e", 8, "2x4");
  fleet.add_replica(chips, 0, "llama-3.1-8b", {0, 1});
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.target, "chips/r0");
  EXPECT_EQ(decision.change, "");
}

TEST(DecideHealth, AQueueFallbackForUnhealthyComesBeforePanic) {
  Hosts fleet(2);
  fleet.silence(0);
  fleet.silence(1);
  Fallback wait;
  wait.on = {Reason::unhealthy};
  wait.action = FallbackAction::queue;
  fleet.policy.rules[0].fallbacks = {wait};
  EXPECT_EQ(fleet.decide_request().action, Action::queue);
}

TEST(DecideHealth, APoolOfOneDoesNotPanic) {
  Hosts silent(1);
  silent.silence(0);
  EXPECT_EQ(silent.decide_request().action, Action::queue);
  Hosts ejected(1);
  ejected.eject(0);
  EXPECT_EQ(ejected.decide_request().action, Action::queue) << "its ejection protects it";
  Hosts others_lost(2);
  others_lost.silence(0, Health::lost);
  others_lost.eject(1);
  EXPECT_EQ(others_lost.decide_request().action, Action::queue);
}

TEST(DecideHealth, InPanicEjectedTargetsAreUsedToo) {
  Hosts fleet(3);
  fleet.silence(0);
  fleet.fill(0);
  fleet.eject(1);
  fleet.fill(2);
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.target, "h1/r0");
  EXPECT_EQ(decision.change, panicked);
}

TEST(DecideHealth, CapacityCountsInDevices) {
  DecisionFixture fleet(big_and_chips);
  const HostIndex large = fleet.add_host("large", "h100-sxm", 8);
  const HostIndex small = fleet.add_host("small", "h100-sxm", 1);
  fleet.add_replica(large, 0, "llama-3.1-8b", {0, 1, 2, 3});
  fleet.add_replica(small, 0, "llama-3.1-8b", {0});
  fleet.fleet_state.set_health(fleet.now, small, Health::suspect);
  for (int n = 0; n < 8; ++n) fleet.fleet_state.reserve_request(fleet.now, 0, 10, fleet.now);
  EXPECT_EQ(fleet.decide(fleet.request()).decision.action, Action::queue) << "4 of 5 are well";
  fleet.fleet_state.set_health(fleet.now, large, Health::suspect);
  fleet.fleet_state.set_health(fleet.now, small, Health::ok);
  for (int n = 0; n < 8; ++n) fleet.fleet_state.reserve_request(fleet.now, 1, 10, fleet.now);
  fleet.fleet_state.release_request(0, 10);
  EXPECT_EQ(fleet.decide(fleet.request()).decision.target, "large/r0") << "1 of 5 is";
}

TEST(DecideHealth, PowerOfTwoChoicesPanicsOverTheWholePool) {
  Hosts fleet(12);
  fleet.policy.rules[0].pick = Pick::p2c;
  for (std::size_t host = 0; host < 12; ++host) fleet.silence(host);
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.change, panicked);
  EXPECT_EQ(decision.top.size(), 3U);
}

TEST(DecideHealth, PanicUsesSilentHostsEvenWithStaleSamples) {
  Hosts fleet(2);
  fleet.silence(0);
  fleet.silence(1);
  fleet.now += std::chrono::seconds(8);  // their last samples are as old
  EXPECT_EQ(fleet.decide_request().change, panicked);
}

/// Real devices beside two hosts of 8 emulated ones.
struct MixedPool : DecisionFixture {
  MixedPool() : DecisionFixture(big_and_chips) {
    for (const char* name : {"real-1", "real-2", "real-3", "real-4"}) {
      Register said = registration(name, "h100-sxm", 8);
      devices::DeviceSpec spec = devices::Catalogue::embedded().device("h100-sxm").value()->spec;
      spec.real = true;
      said.specs[0].text = to_toml(spec);
      real.push_back(*fleet_state.register_host(now, said));
    }
    first = add_host("a", "h100-sxm", 8);
    second = add_host("b", "h100-sxm", 8);
    add_replica(first, 0, "llama-3.1-8b", {0});
  }
  Decision decide_gang() { return decide(training(8)).decision; }
  std::vector<HostIndex> real;
  HostIndex first = 0, second = 0;
};

TEST(DecideHealth, RealDevicesThatAreWellPreventNoPanic) {
  MixedPool fleet;
  fleet.fleet_state.set_health(fleet.now, fleet.first, Health::suspect);
  fleet.fleet_state.set_health(fleet.now, fleet.second, Health::suspect);
  const Decision decision = fleet.decide_gang();
  EXPECT_EQ(decision.target, "b/0-7");
  EXPECT_EQ(decision.change, panicked);
}

TEST(DecideHealth, RealDevicesThatAreSilentCauseNoPanic) {
  MixedPool fleet;
  fleet.fleet_state.set_health(fleet.now, fleet.second, Health::suspect);
  for (const HostIndex host : fleet.real) {
    fleet.fleet_state.set_health(fleet.now, host, Health::suspect);
  }
  EXPECT_EQ(fleet.decide_gang().action, Action::queue) << "half of the emulated ones are well";
}

TEST(DecideHealth, NoReplicaIsLoadedInPanic) {
  Hosts fleet(0);
  for (const char* name : {"a", "b"}) {
    fleet.fleet_state.set_health(fleet.now, fleet.add_host(name, "h100-sxm", 8), Health::suspect);
  }
  EXPECT_EQ(fleet.decide_replica(fleet.request()).decision.action, Action::queue);
}

// ---- Slow start --------------------------------------------------------------------------------

const Candidate* candidate(const Decision& decision, const std::string& target) {
  for (const Candidate& each : decision.top) {
    if (each.target == target) return &each;
  }
  return nullptr;
}

double weighted_mean(const Candidate& candidate) {
  double sum = 0;
  double weights = 0;
  for (const ScorePart& part : candidate.parts) {
    sum += part.value * part.weight;
    weights += part.weight;
  }
  return sum / weights;
}

struct Return {
  int elapsed_s;
  double share;  // of the score of one that was never away
};

TEST(DecideHealth, AReturnedHostGetsAGrowingShareOfItsScore) {
  for (const Return& one : std::vector<Return>{{0, 0.1}, {30, 0.5}, {59, 59.0 / 60}, {60, 1}}) {
    Hosts fleet(2);
    fleet.policy.stale_after_s = 1000;
    fleet.fleet_state.set_returned(fleet.now, fleet.hosts[0]);
    fleet.now += std::chrono::seconds(one.elapsed_s);
    const Decision decision = fleet.decide_request();
    const Candidate* back = candidate(decision, "h0/r0");
    const Candidate* other = candidate(decision, "h1/r0");
    ASSERT_TRUE(back != nullptr && other != nullptr);
    EXPECT_NEAR(back->score, one.share * other->score, 1e-9) << one.elapsed_s;
    EXPECT_NEAR(weighted_mean(*back), back->score, 1e-9) << "the parts explain the score";
    EXPECT_EQ(back->parts.size(), one.share < 1 ? 3U : 2U);
    EXPECT_EQ(other->parts.size(), 2U);
  }
}

TEST(DecideHealth, AReturnedReplicaStartsSlowly) {
  Hosts fleet(2);
  fleet.fleet_state.set_returned(fleet.now, fleet.fleet_state.replica(fleet.replicas[0]).outlier);
  for (int n = 0; n < 9; ++n) EXPECT_EQ(fleet.decide_request().target, "h1/r0");
}

TEST(DecideHealth, AReturnedGroupStartsSlowly) {
  DecisionFixture fleet(big_and_chips);
  const HostIndex first = fleet.add_host("a", "h100-sxm", 8);
  fleet.add_host("b", "h100-sxm", 8);
  GroupEntry& group = fleet.fleet_state.group(fleet.fleet_state.hosts()[first].groups[0]);
  fleet.fleet_state.set_returned(fleet.now, group.outlier);
  for (int n = 0; n < 9; ++n) EXPECT_EQ(fleet.decide(fleet.training(2)).decision.target, "b/0-1");
}

TEST(DecideHealth, TheOnlyTargetLeftSkipsSlowStart) {
  Hosts fleet(2);
  fleet.fleet_state.set_returned(fleet.now, fleet.hosts[0]);
  fleet.fill(1);
  const Decision decision = fleet.decide_request();
  EXPECT_EQ(decision.target, "h0/r0");
  EXPECT_EQ(decision.top[0].parts.size(), 2U);
}

TEST(DecideHealth, TargetsThatNeverFailedSkipSlowStart) {
  Hosts fleet(2);
  for (const Candidate& each : fleet.decide_request().top) EXPECT_EQ(each.parts.size(), 2U);
}

}  // namespace
}  // namespace drover::router
