// Fleets of every make in storms of every kind, under every policy that is shipped and one of
// everything else: no acknowledged job is lost, none ends twice or runs twice, what is shown is
// true soon after the last fault, and nothing ran where it cannot.
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "tests/simulator/fault_storms.h"

namespace drover::simulator {
namespace {

/// The policies take turns with the seeds.
const router::Policy& policy_for(std::uint64_t seed) {
  static const std::vector<router::Policy> policies = storm_policies(DROVER_SOURCE_DIR);
  return policies[seed % policies.size()];
}

TEST(Storms, BreakNoPromiseUnderAnyPolicy) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  const std::uint64_t count = asked ? 1 : 28;
  FaultStormReport all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const FaultStormReport report = run_fault_storm(random_fault_storm(seed, policy_for(seed)));
    for (const std::string& what : report.broken) ADD_FAILURE() << "seed " << seed << ": " << what;
    all += report;
  }
  if (asked) return;
  EXPECT_GT(all.returned, 0U) << "the storms took work from hosts";
  EXPECT_GT(all.assignments, all.jobs / 2);
  EXPECT_GT(all.asked_why, all.jobs / 10) << "work waited, and was asked why";
  EXPECT_GT(all.faults, 5 * count);
}

TEST(Storms, ALeaseLongerThanTheLostTimeoutIsDetectedAsAViolation) {
  std::string broken;
  for (std::uint64_t seed = 1; seed <= 40 && broken.empty(); ++seed) {
    FaultStorm storm = random_fault_storm(seed, policy_for(seed));
    storm.scenario.router.lease = std::chrono::seconds(60);
    for (const std::string& what : run_fault_storm(storm).broken) {
      if (what.starts_with("I3: ")) broken = what;
    }
  }
  EXPECT_NE(broken, "") << "two attempts of a job ran at once, and nobody saw it";
}

}  // namespace
}  // namespace drover::simulator
