// Whatever a fleet lives through, every surface says the same of it, and what is so.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// The policies take turns with the seeds, as in tests/simulator/fault_storms_test.cpp.
const std::vector<std::string> policies = {"cost",      "energy",    "latency",        "balanced",
                                           "gpu-first", "tpu-first", "spot-with-floor"};

router::Policy policy_for(std::uint64_t seed) {
  const std::string path =
      DROVER_SOURCE_DIR "/examples/policies/" + policies[seed % policies.size()] + ".toml";
  std::ifstream file(path);
  auto policy = router::parse_policy(std::string(std::istreambuf_iterator<char>(file), {}), path);
  DROVER_REQUIRE(policy.ok());
  return *std::move(policy);
}

/// One seed of one's own with DROVER_SEED. Thousands of them: drover_studies storms --surfaces on.
TEST(InterfaceAnswers, AgreeWithEachOtherAndTheDevicesInEveryKindOfStorm) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  const std::uint64_t count = asked ? 1 : policies.size();
  std::uint64_t looks = 0, whys = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ConsistencyWatch watch;
    const auto report =
        simulator::run_fault_storm(simulator::random_fault_storm(seed, policy_for(seed)), &watch);
    for (const std::string& what : report.broken) ADD_FAILURE() << "seed " << seed << ": " << what;
    EXPECT_GT(watch.compared(), 30U) << "seed " << seed;
    looks += watch.compared();
    whys += watch.asked_why();
  }
  std::printf("%llu looks compared, %llu times asked why\n", static_cast<unsigned long long>(looks),
              static_cast<unsigned long long>(whys));
  if (asked) return;
  EXPECT_GT(whys, 20U) << "work waited, and was asked why";
}

}  // namespace
}  // namespace drover::commands
