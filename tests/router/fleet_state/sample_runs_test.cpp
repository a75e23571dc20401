#include "router/fleet_state/sample_runs.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace drover::router {
namespace {

TEST(SampleRuns, BreakWhereRowsOrDevicesAreNotConsecutive) {
  const std::vector<DeviceIndex> devices{40, 41, 42, 43};
  const auto told = [&](const std::vector<std::uint16_t>& numbers) {
    std::string text;
    for (const auto& run : runs_of(numbers, devices)) {
      text += fmt::format("{}@{}x{} ", run.device, run.row, run.count);
    }
    return text;
  };
  EXPECT_EQ(told({0, 1, 2, 3}), "40@0x4 ");
  EXPECT_EQ(told({0, 1, 3}), "40@0x2 43@2x1 ");
  EXPECT_EQ(told({9, 0, 1}), "40@1x2 ");
  EXPECT_EQ(told({2, 3, 4, 5}), "42@0x2 ");
  EXPECT_EQ(told({1, 0}), "41@0x1 40@1x1 ");
  EXPECT_EQ(told({}), "");
}

}  // namespace
}  // namespace drover::router
