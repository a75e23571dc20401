// Whatever a fleet lives through, every surface says the same of it, and what is so.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/commands/surfaces_watch.h"

namespace drover::commands {
namespace {

router::Policy policy_for(std::uint64_t seed) {
  static const char* const names[] = {"balanced", "latency", "cost", "gpu-first"};
  const std::string path = std::string(DROVER_SOURCE_DIR "/examples/policies/") +
                           names[seed % std::size(names)] + ".toml";
  std::ifstream file(path);
  auto policy = router::parse_policy(std::string(std::istreambuf_iterator<char>(file), {}), path);
  DROVER_REQUIRE(policy.ok());
  return *std::move(policy);
}

/// One seed of one's own with DROVER_SEED.
TEST(Surfaces, AgreeWithEachOtherAndWithTheDevicesInStormsOfEveryKind) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  const std::uint64_t count = asked ? 1 : 2;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SurfacesWatch watch;
    const auto report =
        simulator::live_through(simulator::storm_of(seed, policy_for(seed)), &watch);
    for (const std::string& what : report.broken) ADD_FAILURE() << "seed " << seed << ": " << what;
    EXPECT_GT(watch.compared(), 20U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace drover::commands
