// Whole fleets under faults, from seeds: no acknowledged job is lost, none ends twice, charges
// never exceed what the devices drew, lost hosts are noticed in time.
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "simulator/simulation.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct JobEnds {
  std::map<JobId, int> accepted, ended;
};

JobEnds count_ends(const std::vector<LedgerRow>& rows) {
  JobEnds ends;
  for (const LedgerRow& row : rows) {
    if (row.transition == Transition::accepted) ++ends.accepted[row.job];
    if (row.transition == Transition::finished || row.transition == Transition::failed) {
      ++ends.ended[row.job];
    }
  }
  return ends;
}

/// Over kills of the router too: nobody has seen what was not on disk.
void expect_sums_to_grow(const Simulation& world) {
  Summary before;
  for (const auto& [at, now] : world.seen().summaries) {
    const std::string when = to_iso8601(at);
    EXPECT_GE(now.accepted, before.accepted) << when;
    EXPECT_GE(now.finished, before.finished) << when;
    EXPECT_GE(now.failed, before.failed) << when;
    EXPECT_GE(now.charged.energy_j, before.charged.energy_j) << when;
    EXPECT_GE(now.charged.cost_usd, before.charged.cost_usd) << when;
    EXPECT_GE(now.wasted.energy_j, before.wasted.energy_j) << when;
    EXPECT_GE(now.fleet_energy_j, before.fleet_energy_j) << when;
    EXPECT_GE(now.fleet_cost_usd, before.fleet_cost_usd) << when;
    before = now;
  }
}

void expect_invariants(const Simulation& world, const std::string& what) {
  SCOPED_TRACE(what);
  const JobEnds ends = count_ends(world.ledger());
  for (const auto& [job, times] : ends.accepted) EXPECT_EQ(times, 1) << to_text(job);
  for (const auto& [job, times] : ends.ended) EXPECT_EQ(times, 1) << to_text(job);
  for (const auto& [job, answer] : world.seen().answers) {
    if (answer.status == SubmitStatus::refused) continue;
    EXPECT_TRUE(ends.accepted.contains(job)) << "acknowledged and lost: " << to_text(job);
    EXPECT_TRUE(ends.ended.contains(job)) << "never ended: " << to_text(job);
  }
  const Summary summary = world.summary();
  EXPECT_EQ(summary.accepted, ends.accepted.size());
  EXPECT_EQ(summary.accepted, summary.finished + summary.failed + summary.cancelled +
                                  summary.queued + summary.running);
  EXPECT_EQ(world.seen().undecodable, 0u);
  expect_sums_to_grow(world);
}

TEST(SimulatedFleet, FinishesAllWorkWhenNothingFails) {
  Scenario scenario = mixed_scenario(1, 60, 6);
  const std::size_t jobs = scenario.arrivals.size();
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(minutes(30));
  expect_invariants(world, "no faults");
  EXPECT_EQ(world.summary().accepted, jobs);
  EXPECT_EQ(world.summary().finished, jobs);
  EXPECT_GT(world.summary().charged.energy_j, 0);
  EXPECT_LE(world.summary().charged.energy_j, world.summary().fleet_energy_j * 1.001);
}

TEST(SimulatedFleet, TheSameSeedGivesTheSameRunByteForByte) {
  Simulation first(mixed_scenario(3, 40, 8), devices::Catalogue::embedded());
  Simulation second(mixed_scenario(3, 40, 8), devices::Catalogue::embedded());
  first.run_for(minutes(5));
  second.run_for(minutes(5));
  ASSERT_GT(first.seen().decisions.size(), 100u);
  EXPECT_EQ(first.seen().decisions, second.seen().decisions);
  EXPECT_EQ(first.summary(), second.summary());
  EXPECT_EQ(first.ledger(), second.ledger());
}

TEST(SimulatedFleet, WorkOfAKilledHostIsRoutedElsewhere) {
  Scenario scenario = mixed_scenario(5, 60, 6);
  scenario.agent_kills = {{seconds(20), "h100-1", std::nullopt}};
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(minutes(1));
  ASSERT_TRUE(world.seen().hosts.contains("h100-1"));
  EXPECT_EQ(world.seen().hosts.at("h100-1").health, Health::lost);
  world.run_for(minutes(60));
  expect_invariants(world, "h100-1 killed");
  EXPECT_GT(world.summary().retries, 0u);
  EXPECT_GT(world.summary().wasted.device_s, 0) << "what the host did in vain, as far as is known";
  EXPECT_GT(world.summary().wasted.energy_j, 0);
}

TEST(SimulatedFleet, TwentyRouterKillsLoseNoAcknowledgedJob) {
  Scenario scenario = mixed_scenario(7, 120, 5);
  for (int i = 0; i < 20; ++i) {
    scenario.router_kills.push_back({milliseconds(3000 + 5731 * i), milliseconds(700)});
  }
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(minutes(60));
  expect_invariants(world, "router killed 20 times");
  EXPECT_EQ(world.seen().answers.size(), mixed_work(7, 120, 5).size());
}

/// Faults drawn from the seed: kills and restarts of hosts and router, partitions, lost samples.
Scenario stormy(std::uint64_t seed) {
  Scenario scenario = mixed_scenario(seed, 90, 5);
  RandomStream random = RandomStream(seed).child("faults");
  for (const agents::AgentSettings& settings : scenario.hosts) {
    if (random.chance(0.5)) {
      scenario.agent_kills.push_back({from_seconds(random.uniform(5, 80)), settings.host,
                                      from_seconds(random.uniform(0.5, 40))});
    }
    if (random.chance(0.4)) {
      scenario.partitions.push_back({from_seconds(random.uniform(5, 80)), settings.host,
                                     from_seconds(random.uniform(1, 30))});
    }
  }
  double at = 10;
  while (random.chance(0.6) && at < 90) {
    const double down = random.uniform(0.2, 6);
    scenario.router_kills.push_back({from_seconds(at), from_seconds(down)});
    at += down + random.uniform(1, 30);
  }
  scenario.sample_loss = random.uniform(0, 0.1);
  return scenario;
}

TEST(SimulatedFleet, KeepsItsPromisesInEveryStorm) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 100;
  const std::uint64_t count = asked ? 1 : 12;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Simulation world(stormy(seed), devices::Catalogue::embedded());
    world.run_for(minutes(60));
    expect_invariants(world, "DROVER_SEED=" + std::to_string(seed));
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace drover::simulator
