// Whole fleets under what people do to them: actions on record, and power caps.
#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "simulator/simulation.h"
#include "tests/simulator/end_state_invariants.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// So long after a cap was set the site draws less: what ran when it came has ended by then.
constexpr Duration cap_settles = seconds(30);

InjectFault inject(const std::string& target, const std::string& fault, Duration duration) {
  InjectFault inject;
  inject.target = target;
  inject.fault = parse_fault(fault).value();
  inject.fault.duration = duration;
  return inject;
}

TEST(Actions, AreAnsweredAuditedAndKeptOnRecord) {
  Scenario scenario = mixed_scenario(11, 20, 4);
  scenario.actions = {{seconds(5), inject("h100-1/3", "throttle=0.5", seconds(10))},
                      {seconds(6), inject("v5e-1/0", "xid=79", seconds(10))},
                      {seconds(7), SetPowerCap{"site", 30'000, seconds(20)}}};
  Simulation world(std::move(scenario), devices::Catalogue::embedded());
  world.run_for(minutes(20));
  ASSERT_EQ(world.seen().replies.size(), 3U);
  EXPECT_TRUE(world.seen().replies[0].applied);
  EXPECT_FALSE(world.seen().replies[1].applied);
  EXPECT_TRUE(world.seen().replies[2].applied);
  EXPECT_EQ(world.seen().audits.size(), 3U);
  std::size_t rows = 0;
  for (const LedgerRow& row : world.ledger()) rows += row.transition == Transition::audit ? 1 : 0;
  EXPECT_EQ(rows, 4U) << "one for each action, and the cap itself";
}

TEST(Actions, TheSiteUsesLessThanItsCapSecondsAfterItIsSet) {
  for (const std::uint64_t seed : {1U}) {
    Scenario scenario = mixed_scenario(seed, 150, 12);
    const double cap_w = 4'500;
    scenario.actions = {{seconds(40), SetPowerCap{"site", cap_w, seconds(100)}}};
    const Instant begins = scenario.start + seconds(40) + cap_settles;
    const Instant ends = scenario.start + seconds(140);
    Simulation world(std::move(scenario), devices::Catalogue::embedded());
    world.run_for(minutes(60));
    double before_w = 0;
    double most_w = 0;
    for (const auto& [at, summary] : world.seen().summaries) {
      if (at < begins - cap_settles) before_w = std::max(before_w, summary.power_w);
      if (at >= begins && at <= ends) most_w = std::max(most_w, summary.power_w);
    }
    EXPECT_GT(before_w, cap_w) << "more than that before, seed " << seed;
    EXPECT_LE(most_w, cap_w) << "seed " << seed;
    expect_end_state_invariants(world, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace drover::simulator
