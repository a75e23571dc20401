#include "router/roster/roster.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "fleet/base/dice.h"
#include "tests/router/small_fleet.h"
#include "tests/router/stage.h"

namespace drover::router {
namespace {

constexpr const char* one_pool = R"([pool.all]
match = {}
[[rule]]
name = "all"
)";

TEST(Roster, ReEnrolmentKeepsIndicesWhenTheGroupsAreTheSame) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 8);
  fleet.add_replica(host, 0, "llama-3.1-8b", {0});
  const auto before = fleet.roster.hosts()[host].devices;
  EXPECT_EQ(fleet.add_host("a", "h100-sxm", 8), host);
  EXPECT_EQ(fleet.roster.hosts()[host].devices, before);
  EXPECT_EQ(fleet.roster.devices().size(), 8U);
  EXPECT_TRUE(fleet.roster.replicas_of("llama-3.1-8b").empty());
  EXPECT_EQ(fleet.roster.devices().replicas[before[0]], 0);
}

TEST(Roster, OtherGroupsUseTheHostsOwnRowsAgainAndNothingOfTheOldIsLeft) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 8);
  fleet.sample(host, {{Metric::power, 500}});
  fleet.add_host("a", "h100-sxm", 4);
  EXPECT_EQ(fleet.roster.devices().size(), 8U);
  EXPECT_EQ(fleet.roster.hosts()[host].devices, (std::vector<DeviceIndex>{0, 1, 2, 3}));
  EXPECT_EQ(fleet.roster.groups().size(), 1U);
  EXPECT_FALSE(fleet.roster.groups()[0].gone);
  EXPECT_EQ(fleet.roster.groups()[0].believed_mw, 0);
  EXPECT_EQ(fleet.roster.power_w(), 0);
  EXPECT_EQ(fleet.roster.devices().sampled[0], Instant{});
}

TEST(Roster, AHostThatAlternatesBetweenShapesFillsNoTable) {
  Roster roster;
  Hello hello = Stage().hello("a");
  for (int turn = 0; turn < 2'000; ++turn) {
    hello.groups[0].count = static_cast<std::uint16_t>(turn % 2 == 0 ? 4'095 : 4'096);
    ASSERT_TRUE(roster.enrol(Instant{}, hello));
  }
  EXPECT_LE(roster.devices().size(), 2 * 4'096U);
  EXPECT_LE(roster.groups().size(), 2U);
  for (std::uint16_t count = 1; count <= 4'096; ++count) {
    hello.host = "b";
    hello.groups[0].count = count;
    ASSERT_TRUE(roster.enrol(Instant{}, hello));
  }
  EXPECT_LE(roster.devices().size(), 4 * 4'096U) << "nor one that grows device by device";
  EXPECT_EQ(roster.device_count(), 2 * 4'096U);
}

TEST(Roster, SpecsThatDifferInCommentsAreOneAndThoseThatNobodyHasMakeRoom) {
  Roster roster;
  Hello hello = Stage().hello("a");
  const std::string text = hello.specs[0].text;
  for (int turn = 0; turn < 2'000; ++turn) {
    hello.specs[0].text = "# " + std::to_string(turn) + "\n" + text;
    ASSERT_TRUE(roster.enrol(Instant{}, hello));
  }
  EXPECT_EQ(roster.spec_count(), 1U);
  const std::string tdp = "tdp_w = ";
  const std::size_t at = text.find(tdp);
  ASSERT_NE(at, std::string::npos);
  for (int turn = 0; turn < 2'000; ++turn) {
    hello.specs[0].text = text;
    hello.specs[0].text.insert(text.find('\n', at), "." + std::to_string(turn + 1'000) + "1");
    const auto enrolled = roster.enrol(Instant{}, hello);
    ASSERT_TRUE(enrolled) << enrolled.error().message;
  }
  EXPECT_LE(roster.spec_count(), specs_max);
  const Hello other = Stage().hello("b");
  EXPECT_TRUE(roster.enrol(Instant{}, other)) << "another host pays for none of it";
}

TEST(Roster, WhatOneHostsReplicasLeaveBehindIsBounded) {
  Roster roster;
  const auto host = roster.enrol(Instant{}, Stage().hello("a"));
  ASSERT_TRUE(host);
  for (std::uint32_t number = 0; number < 3 * replicas_known_per_host; ++number) {
    Replica replica = Stage::replica("a", number);
    ASSERT_NE(roster.apply(Instant{}, *host, replica), nowhere);
    replica.state = ReplicaState::gone;
    roster.apply(Instant{}, *host, replica);
  }
  EXPECT_LE(roster.replicas().size(), replicas_known_per_host);
  EXPECT_EQ(roster.next_replica_number(*host), 3 * replicas_known_per_host);
}

TEST(Roster, ToldForWantOfRoomAHostMayComeLater) {
  Roster roster;
  Hello hello = Stage().hello("a");
  const std::string text = hello.specs[0].text;
  const std::size_t end = text.find('\n', text.find("tdp_w = "));
  for (std::size_t number = 0; number < specs_max; ++number) {
    hello.host = "h" + std::to_string(number);
    hello.specs[0].text = text;
    hello.specs[0].text.insert(end, "." + std::to_string(number + 1'000) + "1");
    ASSERT_TRUE(roster.enrol(Instant{}, hello)) << number;
  }
  const Hello late = Stage().hello("late");
  EXPECT_FALSE(roster.enrol(Instant{}, late));
  EXPECT_TRUE(roster.refused_for_room());
  roster.forget_host(*roster.find_host("h7"));
  EXPECT_TRUE(roster.enrol(Instant{}, late));
  hello.groups.clear();
  EXPECT_FALSE(roster.enrol(Instant{}, hello));
  EXPECT_FALSE(roster.refused_for_room()) << "that does not pass";
}

TEST(Roster, RefusesHostileHellosWithAClearWord) {
  struct Case {
    const char* what;
    void (*spoil)(Hello&);
    const char* message;
  };
  const Case cases[] = {
      {"name", [](Hello& hello) { hello.host = "\x1b[2J"; },
       "Hello: the host's name is not a name"},
      {"no groups", [](Hello& hello) { hello.groups.clear(); },
       "Hello of a: no groups, expected at least one"},
      {"overlap",
       [](Hello& hello) {
         hello.groups.push_back({1, 3, 4, "l4", "", 0});
       },
       "Hello of a: group g1 overlaps another at device 3"},
      {"hole",
       [](Hello& hello) {
         hello.groups.push_back({1, 6, 4, "l4", "", 0});
       },
       "Hello of a: no group holds device 4"},
      {"empty group", [](Hello& hello) { hello.groups[0].count = 0; },
       "Hello of a: group g0 has no devices"},
      {"number twice",
       [](Hello& hello) {
         hello.groups.push_back({0, 4, 4, "l4", "", 0});
       },
       "Hello of a: group number g0 stands twice"},
      {"too many", [](Hello& hello) { hello.groups[0].count = 5000; },
       "Hello of a: group g0 reaches device 4999, expected at most 4096 devices"},
      {"unknown spec", [](Hello& hello) { hello.groups[0].device = "b200"; },
       "Hello of a: group g0 is of device b200, whose spec is not among the 1 carried"},
      {"wrong id", [](Hello& hello) { hello.specs[0].id = "b200"; },
       "Hello of a: spec b200 says that its id is l4"},
      {"price", [](Hello& hello) { hello.price_factor = -1; },
       "Hello of a: price factor -1, expected 0 to 1000"},
      {"absurd price", [](Hello& hello) { hello.price_factor = 1.7e308; },
       "Hello of a: price factor 1.7e+308, expected 0 to 1000"},
  };
  for (const Case& each : cases) {
    Roster roster;
    Hello hello = SmallFleet::hello("a", "l4", 4);
    each.spoil(hello);
    const auto result = roster.enrol(Instant{}, hello);
    ASSERT_FALSE(result.ok()) << each.what;
    EXPECT_EQ(result.error().message, each.message);
    EXPECT_TRUE(roster.hosts().empty());
    EXPECT_EQ(roster.devices().size(), 0U);
  }
}

TEST(Roster, RefusesASpecThatDoesNotParseNamingHostAndSpec) {
  Roster roster;
  Hello hello = SmallFleet::hello("a", "l4", 4);
  hello.specs[0].text = "kind = ";
  const auto result = roster.enrol(Instant{}, hello);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message.rfind("Hello of a: spec l4:1: ", 0), 0U)
      << result.error().message;
}

TEST(Roster, TheSameSpecTextIsOneSpec) {
  SmallFleet fleet(one_pool);
  fleet.add_host("a", "l4", 1);
  fleet.add_host("b", "l4", 1);
  EXPECT_EQ(fleet.roster.groups()[0].spec, fleet.roster.groups()[1].spec);
}

TEST(Roster, SamplesReachTheirColumnsAndAbsentValuesLeaveBeliefAlone) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  fleet.sample(host, {{Metric::power, 300},
                      {Metric::temperature, 50},
                      {Metric::memory_used, 4e9},
                      {Metric::throttle, 0x24},
                      {Metric::energy, 1234}});
  fleet.sample(host, {{Metric::power, 310}});
  const DeviceColumns& devices = fleet.roster.devices();
  EXPECT_FLOAT_EQ(devices.power_w[1], 310);
  EXPECT_FLOAT_EQ(devices.temperature_c[1], 50);
  EXPECT_DOUBLE_EQ(devices.memory_used[1], 4e9);
  EXPECT_EQ(devices.throttle[1], 0x24U);
  EXPECT_EQ(devices.sampled[1], fleet.now);
  EXPECT_DOUBLE_EQ(fleet.roster.power_w(), 620);
  EXPECT_DOUBLE_EQ(fleet.roster.energy_j(), 2468);
  fleet.roster.set_health(fleet.now, host, Health::lost);
  EXPECT_EQ(fleet.roster.power_w(), 0);
}

TEST(Roster, CountsGapsAndUnknownRowsAndIgnoresRepeats) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  Sample known;
  known[Metric::power] = 100;
  Sample unknown;
  unknown.device = 700;
  const std::vector<Sample> rows = {known, unknown};
  const auto apply = [&](std::uint64_t sequence) {
    fleet.roster.apply(fleet.now, host, sequence, pack("a", rows));
  };
  apply(5);  // the first one known: nothing is missing yet
  EXPECT_EQ(fleet.roster.hosts()[host].sample_gaps, 0U);
  apply(6);
  apply(10);
  EXPECT_EQ(fleet.roster.hosts()[host].sample_gaps, 3U);
  EXPECT_EQ(fleet.roster.unknown_rows(), 3U);
  apply(7);  // older: a repeat
  EXPECT_EQ(fleet.roster.unknown_rows(), 3U);
  EXPECT_EQ(fleet.roster.hosts()[host].sample_gaps, 3U);
}

TEST(Roster, ReportsThatMakeNoSenseChangeNothing) {
  SmallFleet fleet(one_pool);
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
  const std::uint64_t version = fleet.roster.version();
  for (const auto& spoil : spoils) {
    Replica bad = good;
    spoil(bad);
    EXPECT_EQ(fleet.roster.apply(fleet.now, host, bad), nowhere);
  }
  EXPECT_EQ(fleet.roster.version(), version);
  EXPECT_TRUE(fleet.roster.replicas().empty());
}

TEST(Roster, AReplicaKeepsItsIndexOverGoneAndBack) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  const ReplicaIndex index = fleet.add_replica(host, 3, "llama-3.1-8b", {1});
  fleet.roster.promise_request(fleet.now, index, 640, fleet.now);
  Replica gone = fleet.roster.replicas()[index].replica;
  gone.state = ReplicaState::gone;
  EXPECT_EQ(fleet.roster.apply(fleet.now, host, gone), index);
  EXPECT_FALSE(fleet.roster.find_replica(host, 3).has_value());
  EXPECT_EQ(fleet.roster.replicas()[index].promised_requests, 0U);
  EXPECT_EQ(fleet.roster.devices().replicas[1], 0);
  fleet.roster.release_request(index, 640);  // a release that comes late
  EXPECT_EQ(fleet.add_replica(host, 3, "bert-large", {0}), index);
  EXPECT_EQ(fleet.roster.find_replica(host, 3), index);
  EXPECT_EQ(fleet.roster.replicas_of("bert-large"), std::vector<ReplicaIndex>{index});
  EXPECT_TRUE(fleet.roster.replicas_of("llama-3.1-8b").empty());
  EXPECT_EQ(fleet.roster.next_replica_number(host), 4U);
}

TEST(Roster, PromisedWattsCountUntilSamplesShowThem) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 1);
  fleet.sample(host, {{Metric::power, 100}});
  const JobId job{1, 1};
  fleet.roster.promise_gang(fleet.now, job, host, {0}, fleet.now, 400);
  const auto believed = [&] { return fleet.roster.groups()[0].believed_mw; };
  EXPECT_EQ(believed(), 500'000);
  fleet.sample(host, {{Metric::power, 300}});
  EXPECT_EQ(believed(), 500'000);
  fleet.sample(host, {{Metric::power, 520}});
  EXPECT_EQ(believed(), 520'000);
  fleet.roster.promise_gang(fleet.now, job, host, {0}, fleet.now, 100);
  fleet.now += promised_power_span;
  fleet.sample(host, {{Metric::power, 450}});
  EXPECT_EQ(believed(), 450'000);
  fleet.roster.release_gang(job, host, {0});
  EXPECT_EQ(believed(), 450'000);
}

TEST(Roster, AGangOfAnotherJobIsNotReleased) {
  SmallFleet fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  fleet.roster.promise_gang(fleet.now, {1, 1}, host, {0, 1, 900}, fleet.now, 10);
  fleet.roster.release_gang({1, 2}, host, {0, 1, 900});
  EXPECT_EQ(fleet.roster.devices().gang[0], (JobId{1, 1}));
}

/// What must hold whatever came in.
void expect_invariants(const Roster& roster) {
  const DeviceColumns& devices = roster.devices();
  std::vector<std::uint32_t> loaded(devices.size(), 0);
  for (ReplicaIndex index = 0; index < roster.replicas().size(); ++index) {
    const ReplicaEntry& entry = roster.replicas()[index];
    const bool gone = entry.replica.state == ReplicaState::gone;
    if (gone || entry.promised_requests == 0) {
      EXPECT_EQ(entry.promised_tokens, 0U);
    }
    if (gone) continue;
    const HostEntry& host = roster.hosts()[entry.host];
    for (const std::uint16_t number : entry.replica.devices) ++loaded[host.devices.at(number)];
    const auto& listed = roster.replicas_of(entry.replica.model);
    EXPECT_TRUE(std::binary_search(listed.begin(), listed.end(), index));
  }
  std::vector<std::int64_t> power_mw(roster.groups().size(), 0);
  for (DeviceIndex device = 0; device < devices.size(); ++device) {
    EXPECT_EQ(devices.replicas[device], loaded[device]);
    EXPECT_GE(devices.promised_w[device], 0);
    EXPECT_GE(devices.power_w[device], 0);
    power_mw[devices.group[device]] += std::llround(double{devices.power_w[device]} * 1000) +
                                       std::llround(double{devices.promised_w[device]} * 1000);
  }
  for (GroupIndex group = 0; group < roster.groups().size(); ++group) {
    EXPECT_EQ(roster.groups()[group].believed_mw, power_mw[group]);
  }
}

void random_step(SmallFleet& fleet, Dice& dice) {
  const auto host = static_cast<HostIndex>(dice.below(fleet.roster.hosts().size()));
  const auto number = static_cast<std::uint16_t>(dice.below(10));
  const std::vector<std::uint16_t> devices = {number, static_cast<std::uint16_t>(number + 1)};
  const JobId job{7, dice.below(4)};
  const auto replica = fleet.roster.replicas().empty()
                           ? nowhere
                           : static_cast<ReplicaIndex>(dice.below(fleet.roster.replicas().size()));
  switch (dice.below(8)) {
    case 0:
      fleet.sample(host, {{Metric::power, dice.uniform(-10, 700)}});
      break;
    case 1:
      fleet.roster.promise_gang(fleet.now, job, host, devices, fleet.now, dice.uniform(-5, 400));
      break;
    case 2:
      fleet.roster.release_gang(job, host, devices);
      break;
    case 3: {
      Replica report;
      report.id = {"x", static_cast<std::uint32_t>(dice.below(5))};
      report.model = dice.chance(0.5) ? "llama-3.1-8b" : "bert-large";
      report.devices = devices;
      report.state = static_cast<ReplicaState>(dice.below(5));
      fleet.roster.apply(fleet.now, host, report);
      break;
    }
    case 4:
      if (replica != nowhere &&
          fleet.roster.replicas()[replica].replica.state != ReplicaState::gone) {
        fleet.roster.promise_request(fleet.now, replica, dice.below(1000), fleet.now);
      }
      break;
    case 5:
      if (replica != nowhere) fleet.roster.release_request(replica, dice.below(2000));
      break;
    case 6:
      if (dice.chance(0.2)) {
        fleet.add_host(fleet.roster.hosts()[host].hello.host, "l4",
                       static_cast<std::uint16_t>(4 + dice.below(2) * 4));
      }
      break;
    default:
      fleet.now += std::chrono::seconds(1);
      break;
  }
}

TEST(Roster, KeepsItsInvariantsUnderRandomMessages) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    SmallFleet fleet(one_pool);
    fleet.add_host("a", "l4", 8);
    fleet.add_host("b", "l4", 4);
    Dice dice(seed);
    for (int step = 0; step < 400; ++step) {
      random_step(fleet, dice);
      if (step % 20 == 0) expect_invariants(fleet.roster);
    }
    expect_invariants(fleet.roster);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace drover::router
