// Multi-host gangs in a whole fleet, with hosts and routers that die.
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/simulator/end_state_invariants.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const devices::Catalogue& catalogue() { return devices::Catalogue::embedded(); }

/// Six hosts of four V100s in two racks.
Scenario hall(std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  for (int number = 1; number <= 6; ++number) {
    scenario.hosts.push_back(host("v100-" + std::to_string(number),
                                  number <= 3 ? "rack-1" : "rack-2", "v100-sxm2-16gb", 4, "", {}));
  }
  scenario.router.software = "simulator";
  scenario.policy = router::parse_policy(R"(
[policy]
version = 1
[pool.v100]
match = { kind = "gpu" }
[retry]
max = 20
[[rule]]
name = "train"
pools = ["v100"]
score = { finish_time = 1 }
)",
                                         "hall.toml")
                        .value();
  return scenario;
}

Job gang(RandomStream& random, std::uint16_t devices, std::uint32_t steps) {
  Job job = training(random, "bert-large", devices, steps);
  job.work.precisions = {Precision::fp16};
  job.work.loss_scaling = true;
  return job;
}

TEST(MultiHostGangs, RunAtTheSpeedOfTheSlowestHost) {
  const auto run_s = [](bool slowed) {
    Scenario scenario = hall(1);
    scenario.hosts.resize(2);
    RandomStream random = RandomStream(1).child("work");
    scenario.arrivals.push_back({seconds(5), gang(random, 8, 200)});
    if (slowed) {
      InjectFault fault;
      fault.target = "device:v100-2/1";
      fault.fault = {FaultKind::throttle, 0, 0.5, seconds(3000)};
      scenario.actions.push_back({seconds(4), fault});
    }
    Simulation world(std::move(scenario), catalogue());
    world.run_for(seconds(600));
    EXPECT_EQ(world.seen().ends.size(), 1U);
    if (world.seen().ends.empty()) return 0.0;
    const JobChanged& end = world.seen().ends.begin()->second.front();
    EXPECT_EQ(end.state, JobState::finished) << end.detail;
    EXPECT_NE(end.target.find(' '), std::string::npos) << end.target;
    EXPECT_NEAR(end.usage.device_s, 8 * end.outcome.run_s, 0.3) << "all of them are charged";
    return end.outcome.run_s;
  };
  EXPECT_GT(run_s(true), 1.05 * run_s(false));
}

TEST(MultiHostGangs, LoseNothingAndCountNothingTwiceWhateverFails) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Scenario scenario = hall(seed);
    RandomStream random = RandomStream(seed).child("work");
    for (int number = 0; number < 12; ++number) {
      const std::uint16_t devices[] = {4, 8, 12, 2, 16};
      const auto at = from_seconds(2 + 10 * random.uniform(0, 1) * number);
      scenario.arrivals.push_back({at, gang(random, devices[number % 5], 100)});
    }
    for (int number = 0; number < 4; ++number) {
      const std::string name = "v100-" + std::to_string(1 + random.below(6));
      scenario.agent_kills.push_back(
          {from_seconds(random.uniform(5, 100)), name, from_seconds(random.uniform(1, 60))});
      scenario.partitions.push_back({from_seconds(random.uniform(5, 100)),
                                     "v100-" + std::to_string(1 + random.below(6)),
                                     from_seconds(random.uniform(1, 30))});
    }
    scenario.router_kills.push_back({from_seconds(random.uniform(5, 60)), milliseconds(1500)});
    Simulation world(std::move(scenario), catalogue());
    world.run_for(seconds(3000));
    expect_end_state_invariants(world, "seed " + std::to_string(seed));
    EXPECT_EQ(world.seen().ends.size(), 12U) << "seed " << seed;
    for (const auto& [job, ends] : world.seen().ends) {
      EXPECT_EQ(ends.back().state, JobState::finished) << "seed " << seed << ends.back().detail;
    }
  }
}

}  // namespace
}  // namespace drover::simulator
