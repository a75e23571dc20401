// Whole fleets of gangs of two priorities, on hosts that are killed, cut off and reclaimed, under
// routers that are killed: no work is lost but what came after a checkpoint, and what is lost adds
// up.
#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "router/lint/policy_file.h"
#include "simulator/simulation.h"
#include "tests/simulator/end_state_invariants.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint32_t interval = 40;
constexpr std::uint64_t preemption_seeds = 24;

router::Policy policy_of(const std::string& limits = "") {
  auto parsed = router::parse_policy(R"([policy]
objective = "latency"
[pool.gpu]
match = { kind = "gpu" }
[class.research]
when = { kind = "training", priority = "<=0" }
[[rule]]
name = "urgent"
when = { kind = "training", priority = ">0" }
preempt = { may = ["research"], grace_s = 5 }
[[rule]]
name = "rest"
[retry]
max = 50
)" + limits,
                                     "test.toml");
  DROVER_REQUIRE(parsed.ok());
  return std::move(parsed).value();
}

/// Research that fills the fleet, and urgent work that comes on top.
Scenario crowded(std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.hosts = {host("h100-1", "rack-1", "h100-sxm", 8, "", {}),
                    host("h100-2", "rack-1", "h100-sxm", 8, "", {})};
  scenario.hosts[1].labels["price"] = "spot";
  scenario.router.software = "simulator";
  scenario.policy = policy_of();
  RandomStream random = RandomStream(seed).child("work");
  for (int number = 0; number < 8; ++number) {
    const auto devices = static_cast<std::uint16_t>(1U << random.below(4));
    Job job = training(random, "bert-large", devices,
                       400 + static_cast<std::uint32_t>(random.below(800)));
    job.work.checkpoint_steps = random.chance(0.7) ? interval : 0;
    scenario.arrivals.push_back({from_seconds(random.uniform(1, 10)), job});
  }
  for (int number = 0; number < 6; ++number) {
    const auto devices = static_cast<std::uint16_t>(2U << random.below(3));
    Job job =
        training(random, "bert-large", devices, 50 + static_cast<std::uint32_t>(random.below(100)));
    job.work.checkpoint_steps = interval;
    job.priority = static_cast<std::int8_t>(1 + random.below(2));
    scenario.arrivals.push_back({from_seconds(random.uniform(8, 60)), job});
  }
  std::sort(scenario.arrivals.begin(), scenario.arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return scenario;
}

Scenario troubled(std::uint64_t seed) {
  Scenario scenario = crowded(seed);
  RandomStream random = RandomStream(seed).child("trouble");
  if (random.chance(0.5)) {
    scenario.agent_kills = {{from_seconds(random.uniform(10, 60)), "h100-1", seconds(3)}};
  }
  if (random.chance(0.5)) {
    scenario.router_kills = {{from_seconds(random.uniform(10, 60)), seconds(2)}};
  }
  if (random.chance(0.5)) {
    scenario.partitions = {{from_seconds(random.uniform(10, 60)), "h100-2", seconds(20)}};
  }
  InjectFault reclaim{"host:h100-2", *parse_fault("reclaim=10"), 0, 0};
  reclaim.fault.duration = seconds(20);
  scenario.actions = {{from_seconds(random.uniform(15, 60)), reclaim}};
  return scenario;
}

struct AttemptEnds {
  std::map<JobId, std::uint32_t> saved;
  Usage used;
  std::uint64_t preempted = 0, returned = 0, kept = 0;
};

/// What the rows of attempts' ends say; each is held against those before it.
AttemptEnds read_ends(const Simulation& world, const std::map<JobId, Job>& jobs) {
  AttemptEnds ends;
  for (const LedgerRow& row : world.ledger()) {
    const bool back = row.transition == Transition::returned;
    if (row.transition == Transition::finished) {
      const Finished done = std::get<Finished>(decode(row.payload)->body);
      ends.used += done.usage;
      EXPECT_EQ(done.outcome.steps, jobs.at(row.job).work.steps);
    } else if (back || row.transition == Transition::failed) {
      const Failed failed = std::get<Failed>(decode(row.payload)->body);
      const Workload& work = jobs.at(row.job).work;
      ends.used += failed.usage;
      if (!back) continue;
      ++ends.returned;
      ends.preempted += failed.reason == Reason::preempted ? 1 : 0;
      ends.kept += failed.steps_saved > ends.saved[row.job] ? 1 : 0;
      EXPECT_GE(failed.steps_saved, ends.saved[row.job]) << "a checkpoint is never forgotten";
      EXPECT_GE(failed.steps_done, failed.steps_saved);
      EXPECT_LT(failed.steps_saved, work.steps);
      EXPECT_EQ(work.checkpoint_steps == 0 ? failed.steps_saved
                                           : failed.steps_saved % work.checkpoint_steps,
                0u);
      ends.saved[row.job] = failed.steps_saved;
    }
  }
  return ends;
}

std::map<JobId, Job> jobs_of(const Scenario& scenario) {
  std::map<JobId, Job> jobs;
  for (const Arrival& arrival : scenario.arrivals) jobs.emplace(arrival.job.id, arrival.job);
  return jobs;
}

TEST(Preemption, LosesOnlyStepsSinceACheckpointAndTheTotalsAddUp) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  std::uint64_t preempted = 0, kept = 0;
  for (std::uint64_t seed = first; seed < first + (asked ? 1 : preemption_seeds); ++seed) {
    SCOPED_TRACE("DROVER_SEED=" + std::to_string(seed));
    Scenario scenario = troubled(seed);
    const std::map<JobId, Job> jobs = jobs_of(scenario);
    Simulation world(std::move(scenario), devices::Catalogue::embedded());
    world.run_for(minutes(60));
    expect_end_state_invariants(world, "DROVER_SEED=" + std::to_string(seed));
    const Summary sums = world.summary();
    EXPECT_EQ(sums.finished, jobs.size());
    const AttemptEnds ends = read_ends(world, jobs);
    EXPECT_EQ(sums.preempted, ends.preempted);
    EXPECT_NEAR(sums.charged.device_s + sums.wasted.device_s, ends.used.device_s, 1e-6);
    EXPECT_NEAR(sums.charged.energy_j + sums.wasted.energy_j, ends.used.energy_j, 1e-3);
    preempted += ends.preempted;
    kept += ends.kept;
  }
  if (asked) return;
  EXPECT_GT(preempted, preemption_seeds) << "or nothing was tried";
  EXPECT_GT(kept, preemption_seeds);
}

TEST(Preemption, UrgentWorkIsDoneSooner) {
  std::map<bool, double> latency_s;
  for (const bool preempts : {true, false}) {
    Scenario scenario = crowded(3);
    if (!preempts) {
      for (router::Rule& rule : scenario.policy.rules) rule.preempt.reset();
    }
    const std::map<JobId, Job> jobs = jobs_of(scenario);
    Simulation world(std::move(scenario), devices::Catalogue::embedded());
    world.run_for(minutes(60));
    EXPECT_EQ(world.summary().preempted > 0, preempts);
    std::map<JobId, Instant> accepted;
    for (const LedgerRow& row : world.ledger()) {
      if (row.transition == Transition::accepted) accepted[row.job] = row.at;
      if (row.transition != Transition::finished || jobs.at(row.job).priority <= 0) continue;
      latency_s[preempts] += to_seconds(row.at - accepted[row.job]);
    }
  }
  EXPECT_LT(latency_s[true], latency_s[false]);
}

// ---- Power -------------------------------------------------------------------------------------

/// Two gangs of four, of which the cap lets one run at full power.
Scenario capped(bool lever) {
  Scenario scenario;
  scenario.hosts = {host("h100-1", "rack-1", "h100-sxm", 8, "", {})};
  scenario.router.software = "simulator";
  scenario.policy = policy_of(std::string("[limits]\npower_cap_w = { \"pool.gpu\" = 4600 }\n") +
                              (lever ? "power_lever = { step = \"10%\", every_s = 5 }\n" : ""));
  RandomStream random = RandomStream(5).child("work");
  for (int number = 0; number < 2; ++number) {
    Job job = training(random, "bert-large", 4, 3000);
    job.work.batch = 256;
    scenario.arrivals.push_back({seconds(5 + 20 * number), job});
  }
  return scenario;
}

TEST(PowerLever, MakesRoomUnderACapForWorkThatWouldWait) {
  std::map<bool, Instant> second_began;
  for (const bool lever : {true, false}) {
    Simulation world(capped(lever), devices::Catalogue::embedded());
    world.run_for(minutes(60));
    EXPECT_EQ(world.summary().finished, 2u);
    for (const LedgerRow& row : world.ledger()) {
      if (row.transition == Transition::running) second_began[lever] = row.at;
    }
    bool waited = false;
    for (const auto& [at, summary] : world.seen().summaries) {
      EXPECT_LE(summary.power_w, 4600 * 1.001);
      waited = waited || summary.queued_for.contains(Reason::power_cap);
    }
    EXPECT_TRUE(waited);
    std::size_t lowered = 0, raised = 0;
    for (const Audit& audit : world.seen().audits) {
      lowered += audit.action == "lower power caps" ? 1 : 0;
      raised += audit.action == "raise power caps" ? 1 : 0;
    }
    EXPECT_EQ(lowered > 0, lever);
    EXPECT_EQ(raised > 0, lever) << "when the work had ended";
  }
  EXPECT_LT(second_began[true], second_began[false]);
}

}  // namespace
}  // namespace drover::simulator
