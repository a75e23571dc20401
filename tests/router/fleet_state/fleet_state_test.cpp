#include "router/fleet_state/fleet_state.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

TEST(FleetState, ReregistrationKeepsIndicesWhenTheGroupsAreTheSame) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 8);
  fleet.add_replica(host, 0, "llama-3.1-8b", {0});
  const auto before = fleet.fleet_state.hosts()[host].devices;
  EXPECT_EQ(fleet.add_host("a", "h100-sxm", 8), host);
  EXPECT_EQ(fleet.fleet_state.hosts()[host].devices, before);
  EXPECT_EQ(fleet.fleet_state.devices().size(), 8U);
  EXPECT_TRUE(fleet.fleet_state.replicas_of("llama-3.1-8b").empty());
  EXPECT_EQ(fleet.fleet_state.devices().replicas[before[0]], 0);
}

TEST(FleetState, NewGroupsReuseTheHostsRowsWithoutOldState) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 8);
  fleet.sample(host, {{Metric::power, 500}});
  fleet.add_host("a", "h100-sxm", 4);
  EXPECT_EQ(fleet.fleet_state.devices().size(), 8U);
  EXPECT_EQ(fleet.fleet_state.hosts()[host].devices, (std::vector<DeviceIndex>{0, 1, 2, 3}));
  EXPECT_EQ(fleet.fleet_state.groups().size(), 1U);
  EXPECT_FALSE(fleet.fleet_state.groups()[0].gone);
  EXPECT_EQ(fleet.fleet_state.groups()[0].estimated_mw, 0);
  EXPECT_EQ(fleet.fleet_state.power_w(), 0);
  EXPECT_EQ(fleet.fleet_state.devices().sampled[0], Instant{});
}

TEST(FleetState, AHostThatAlternatesBetweenShapesDoesNotGrowTheTables) {
  FleetState fleet_state;
  Register registration = RouterHarness().registration("a");
  for (int turn = 0; turn < 2'000; ++turn) {
    registration.groups[0].count = static_cast<std::uint16_t>(turn % 2 == 0 ? 4'095 : 4'096);
    ASSERT_TRUE(fleet_state.register_host(Instant{}, registration));
  }
  EXPECT_LE(fleet_state.devices().size(), 2 * 4'096U);
  EXPECT_LE(fleet_state.groups().size(), 2U);
  for (std::uint16_t count = 1; count <= 4'096; ++count) {
    registration.host = "b";
    registration.groups[0].count = count;
    ASSERT_TRUE(fleet_state.register_host(Instant{}, registration));
  }
  EXPECT_LE(fleet_state.devices().size(), 4 * 4'096U) << "nor one that grows device by device";
  EXPECT_EQ(fleet_state.emulated_device_count(), 2 * 4'096U);
}

TEST(FleetState, SpecsDifferingOnlyInCommentsAreSharedAndUnusedOnesRemoved) {
  FleetState fleet_state;
  Register registration = RouterHarness().registration("a");
  const std::string text = registration.specs[0].text;
  for (int turn = 0; turn < 2'000; ++turn) {
    registration.specs[0].text = "# " + std::to_string(turn) + "\n" + text;
    ASSERT_TRUE(fleet_state.register_host(Instant{}, registration));
  }
  EXPECT_EQ(fleet_state.spec_count(), 1U);
  const std::string tdp = "tdp_w = ";
  const std::size_t at = text.find(tdp);
  ASSERT_NE(at, std::string::npos);
  for (int turn = 0; turn < 2'000; ++turn) {
    registration.specs[0].text = text;
    registration.specs[0].text.insert(text.find('\n', at),
                                      "." + std::to_string(turn + 1'000) + "1");
    const auto registered = fleet_state.register_host(Instant{}, registration);
    ASSERT_TRUE(registered) << registered.error().message;
  }
  EXPECT_LE(fleet_state.spec_count(), specs_max);
  const Register other = RouterHarness().registration("b");
  EXPECT_TRUE(fleet_state.register_host(Instant{}, other)) << "another host pays for none of it";
}

TEST(FleetState, RecordsOfAHostsGoneReplicasAreBounded) {
  FleetState fleet_state;
  const auto host = fleet_state.register_host(Instant{}, RouterHarness().registration("a"));
  ASSERT_TRUE(host);
  for (std::uint32_t number = 0; number < 3 * replicas_known_per_host; ++number) {
    Replica replica = RouterHarness::replica("a", number);
    ASSERT_NE(fleet_state.apply(Instant{}, *host, replica), no_index);
    replica.state = ReplicaState::gone;
    fleet_state.apply(Instant{}, *host, replica);
  }
  EXPECT_LE(fleet_state.replicas().size(), replicas_known_per_host);
  EXPECT_EQ(fleet_state.next_replica_number(*host), 3 * replicas_known_per_host);
}

TEST(FleetState, AHostRefusedForCapacityCanRegisterLater) {
  FleetState fleet_state;
  Register registration = RouterHarness().registration("a");
  const std::string text = registration.specs[0].text;
  const std::size_t end = text.find('\n', text.find("tdp_w = "));
  for (std::size_t number = 0; number < specs_max; ++number) {
    registration.host = "h" + std::to_string(number);
    registration.specs[0].text = text;
    registration.specs[0].text.insert(end, "." + std::to_string(number + 1'000) + "1");
    ASSERT_TRUE(fleet_state.register_host(Instant{}, registration)) << number;
  }
  const Register late = RouterHarness().registration("late");
  EXPECT_FALSE(fleet_state.register_host(Instant{}, late));
  EXPECT_TRUE(fleet_state.refused_for_capacity());
  fleet_state.forget_host(*fleet_state.find_host("h7"));
  EXPECT_TRUE(fleet_state.register_host(Instant{}, late));
  registration.groups.clear();
  EXPECT_FALSE(fleet_state.register_host(Instant{}, registration));
  EXPECT_FALSE(fleet_state.refused_for_capacity()) << "that does not pass";
}

TEST(FleetState, RefusesInvalidRegistersWithAClearMessage) {
  struct Case {
    const char* what;
    void (*spoil)(Register&);
    const char* message;
  };
  const Case cases[] = {
      {"name", [](Register& registration) { registration.host = "\x1b[2J"; },
       "Register: the host name is invalid"},
      {"no groups", [](Register& registration) { registration.groups.clear(); },
       "Register of a: no groups, expected at least one"},
      {"overlap",
       [](Register& registration) {
         registration.groups.push_back({1, 3, 4, "l4", "", 0});
       },
       "Register of a: group g1 overlaps another at device 3"},
      {"hole",
       [](Register& registration) {
         registration.groups.push_back({1, 6, 4, "l4", "", 0});
       },
       "Register of a: no group contains device 4"},
      {"empty group", [](Register& registration) { registration.groups[0].count = 0; },
       "Register of a: group g0 has no devices"},
      {"number twice",
       [](Register& registration) {
         registration.groups.push_back({0, 4, 4, "l4", "", 0});
       },
       "Register of a: group number g0 is given twice"},
      {"too many", [](Register& registration) { registration.groups[0].count = 5000; },
       "Register of a: group g0 reaches device 4999, expected at most 4096 devices"},
      {"unknown spec", [](Register& registration) { registration.groups[0].device = "b200"; },
       "Register of a: group g0 uses device b200, but none of the 1 specs in the message has that "
       "id"},
      {"wrong id", [](Register& registration) { registration.specs[0].id = "b200"; },
       "Register of a: spec b200 says that its id is l4"},
      {"price", [](Register& registration) { registration.price_factor = -1; },
       "Register of a: price factor -1, expected 0 to 1000"},
      {"absurd price", [](Register& registration) { registration.price_factor = 1.7e308; },
       "Register of a: price factor 1.7e+308, expected 0 to 1000"},
  };
  for (const Case& each : cases) {
    FleetState fleet_state;
    Register registration = DecisionFixture::registration("a", "l4", 4);
    each.spoil(registration);
    const auto result = fleet_state.register_host(Instant{}, registration);
    ASSERT_FALSE(result.ok()) << each.what;
    EXPECT_EQ(result.error().message, each.message);
    EXPECT_TRUE(fleet_state.hosts().empty());
    EXPECT_EQ(fleet_state.devices().size(), 0U);
  }
}

TEST(FleetState, RefusesAnUnparsableSpecAndNamesHostAndSpec) {
  FleetState fleet_state;
  Register registration = DecisionFixture::registration("a", "l4", 4);
  registration.specs[0].text = "kind = ";
  const auto result = fleet_state.register_host(Instant{}, registration);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message.rfind("Register of a: spec l4:1: ", 0), 0U)
      << result.error().message;
}

TEST(FleetState, IdenticalSpecTextsShareOneSpec) {
  DecisionFixture fleet(one_pool);
  fleet.add_host("a", "l4", 1);
  fleet.add_host("b", "l4", 1);
  EXPECT_EQ(fleet.fleet_state.groups()[0].spec, fleet.fleet_state.groups()[1].spec);
}

TEST(FleetState, InvalidReportsChangeNothing) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  Replica good;
  good.id = {"a", 0};
  good.model = "llama-3.1-8b";
  good.devices = {0};
  const std::vector<void (*)(Replica&)> spoils = {
      [](Replica& replica) { replica.devices = {2}; },
      [](Replica& replica) { replica.devices = {}; },
      [](Replica& replica) {
        replica.devices = {0, 0};
      },
      [](Replica& replica) { replica.group = 7; },
      [](Replica& replica) { replica.model = "\n"; },
      [](Replica& replica) { replica.id.number = 0xffffffff; },
      [](Replica& replica) { replica.state = ReplicaState::gone; },
  };
  const std::uint64_t version = fleet.fleet_state.version();
  for (const auto& spoil : spoils) {
    Replica bad = good;
    spoil(bad);
    EXPECT_EQ(fleet.fleet_state.apply(fleet.now, host, bad), no_index);
  }
  EXPECT_EQ(fleet.fleet_state.version(), version);
  EXPECT_TRUE(fleet.fleet_state.replicas().empty());
}

TEST(FleetState, AReplicaKeepsItsIndexWhenItLeavesAndReturns) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  const ReplicaIndex index = fleet.add_replica(host, 3, "llama-3.1-8b", {1});
  fleet.fleet_state.reserve_request(fleet.now, index, 640, fleet.now);
  Replica gone = fleet.fleet_state.replicas()[index].replica;
  gone.state = ReplicaState::gone;
  EXPECT_EQ(fleet.fleet_state.apply(fleet.now, host, gone), index);
  EXPECT_FALSE(fleet.fleet_state.find_replica(host, 3).has_value());
  EXPECT_EQ(fleet.fleet_state.replicas()[index].reserved_requests, 0U);
  EXPECT_EQ(fleet.fleet_state.devices().replicas[1], 0);
  fleet.fleet_state.release_request(index, 640);  // a release that comes late
  EXPECT_EQ(fleet.add_replica(host, 3, "bert-large", {0}), index);
  EXPECT_EQ(fleet.fleet_state.find_replica(host, 3), index);
  EXPECT_EQ(fleet.fleet_state.replicas_of("bert-large"), std::vector<ReplicaIndex>{index});
  EXPECT_TRUE(fleet.fleet_state.replicas_of("llama-3.1-8b").empty());
  EXPECT_EQ(fleet.fleet_state.next_replica_number(host), 4U);
}

TEST(FleetState, ReservedPowerCountsUntilSamplesShowIt) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 1);
  fleet.sample(host, {{Metric::power, 100}});
  const JobId job{1, 1};
  fleet.fleet_state.reserve_gang(fleet.now, job, host, {0}, fleet.now, 400);
  const auto believed = [&] { return fleet.fleet_state.groups()[0].estimated_mw; };
  EXPECT_EQ(believed(), 500'000);
  fleet.sample(host, {{Metric::power, 300}});
  EXPECT_EQ(believed(), 500'000);
  fleet.sample(host, {{Metric::power, 520}});
  EXPECT_EQ(believed(), 520'000);
  fleet.fleet_state.reserve_gang(fleet.now, job, host, {0}, fleet.now, 100);
  fleet.now += reserved_power_timeout;
  fleet.sample(host, {{Metric::power, 450}});
  EXPECT_EQ(believed(), 450'000);
  fleet.fleet_state.release_gang(job, host, {0});
  EXPECT_EQ(believed(), 450'000);
}

TEST(FleetState, AGangOfAnotherJobIsNotReleased) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  fleet.fleet_state.reserve_gang(fleet.now, {1, 1}, host, {0, 1, 900}, fleet.now, 10);
  fleet.fleet_state.release_gang({1, 2}, host, {0, 1, 900});
  EXPECT_EQ(fleet.fleet_state.devices().gang[0], (JobId{1, 1}));
}

/// What must hold whatever came in.
void expect_invariants(const FleetState& fleet_state) {
  const DeviceColumns& devices = fleet_state.devices();
  std::vector<std::uint32_t> loaded(devices.size(), 0);
  for (ReplicaIndex index = 0; index < fleet_state.replicas().size(); ++index) {
    const ReplicaEntry& entry = fleet_state.replicas()[index];
    const bool gone = entry.replica.state == ReplicaState::gone;
    if (gone || entry.reserved_requests == 0) {
      EXPECT_EQ(entry.reserved_tokens, 0U);
    }
    if (gone) continue;
    const HostEntry& host = fleet_state.hosts()[entry.host];
    for (const std::uint16_t number : entry.replica.devices) ++loaded[host.devices.at(number)];
    const auto& listed = fleet_state.replicas_of(entry.replica.model);
    EXPECT_TRUE(std::binary_search(listed.begin(), listed.end(), index));
  }
  std::vector<std::int64_t> power_mw(fleet_state.groups().size(), 0);
  for (DeviceIndex device = 0; device < devices.size(); ++device) {
    EXPECT_EQ(devices.replicas[device], loaded[device]);
    EXPECT_GE(devices.reserved_w[device], 0);
    EXPECT_GE(devices.power_w[device], 0);
    power_mw[devices.group[device]] += std::llround(double{devices.power_w[device]} * 1000) +
                                       std::llround(double{devices.reserved_w[device]} * 1000);
  }
  for (GroupIndex group = 0; group < fleet_state.groups().size(); ++group) {
    EXPECT_EQ(fleet_state.groups()[group].estimated_mw, power_mw[group]);
  }
}

void random_step(DecisionFixture& fleet, RandomStream& random) {
  const auto host = static_cast<HostIndex>(random.below(fleet.fleet_state.hosts().size()));
  const auto number = static_cast<std::uint16_t>(random.below(10));
  const std::vector<std::uint16_t> devices = {number, static_cast<std::uint16_t>(number + 1)};
  const JobId job{7, random.below(4)};
  const auto replica =
      fleet.fleet_state.replicas().empty()
          ? no_index
          : static_cast<ReplicaIndex>(random.below(fleet.fleet_state.replicas().size()));
  switch (random.below(8)) {
    case 0:
      fleet.sample(host, {{Metric::power, random.uniform(-10, 700)}});
      break;
    case 1:
      fleet.fleet_state.reserve_gang(fleet.now, job, host, devices, fleet.now,
                                     random.uniform(-5, 400));
      break;
    case 2:
      fleet.fleet_state.release_gang(job, host, devices);
      break;
    case 3: {
      Replica report;
      report.id = {"x", static_cast<std::uint32_t>(random.below(5))};
      report.model = random.chance(0.5) ? "llama-3.1-8b" : "bert-large";
      report.devices = devices;
      report.state = static_cast<ReplicaState>(random.below(5));
      fleet.fleet_state.apply(fleet.now, host, report);
      break;
    }
    case 4:
      if (replica != no_index &&
          fleet.fleet_state.replicas()[replica].replica.state != ReplicaState::gone) {
        fleet.fleet_state.reserve_request(fleet.now, replica, random.below(1000), fleet.now);
      }
      break;
    case 5:
      if (replica != no_index) fleet.fleet_state.release_request(replica, random.below(2000));
      break;
    case 6:
      if (random.chance(0.2)) {
        fleet.add_host(fleet.fleet_state.hosts()[host].registration.host, "l4",
                       static_cast<std::uint16_t>(4 + random.below(2) * 4));
      }
      break;
    default:
      fleet.now += std::chrono::seconds(1);
      break;
  }
}

TEST(FleetState, KeepsItsInvariantsUnderRandomMessages) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    DecisionFixture fleet(one_pool);
    fleet.add_host("a", "l4", 8);
    fleet.add_host("b", "l4", 4);
    RandomStream random(seed);
    for (int step = 0; step < 400; ++step) {
      random_step(fleet, random);
      if (step % 20 == 0) expect_invariants(fleet.fleet_state);
    }
    expect_invariants(fleet.fleet_state);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace drover::router
