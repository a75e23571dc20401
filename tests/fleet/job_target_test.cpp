#include "fleet/job_target.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

std::vector<std::pair<std::string, std::string>> parts_of(std::string_view target) {
  std::vector<std::pair<std::string, std::string>> parts;
  while (const auto part = take_target_part(target)) parts.emplace_back(part->host, part->place);
  return parts;
}

TEST(Placement, EachHostHasItsPart) {
  using Parts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parts_of("a/r0"), (Parts{{"a", "r0"}}));
  EXPECT_EQ(parts_of("a/0-7 b/0-3,6"), (Parts{{"a", "0-7"}, {"b", "0-3,6"}}));
  EXPECT_EQ(parts_of(""), Parts{});
  EXPECT_EQ(parts_of("strange /x a/1"), (Parts{{"", ""}, {"", ""}, {"a", "1"}}));
}

TEST(Placement, ReplicasHaveANumber) {
  EXPECT_EQ(replica_in("r12"), 12U);
  for (const char* place : {"12", "r", "r1x", "rr1", "r-1", ""}) {
    EXPECT_EQ(replica_in(place), std::nullopt) << place;
  }
}

TEST(Placement, DevicesAreListedByRanges) {
  for (const std::uint32_t index : {0U, 2U, 3U, 6U}) EXPECT_TRUE(lists_device("0-3,6", index));
  for (const std::uint32_t index : {4U, 5U, 7U}) EXPECT_FALSE(lists_device("0-3,6", index));
  for (const char* place : {"", "r0", "-", "3-1", "a-b", ",,", "1-"}) {
    for (const std::uint32_t index : {0U, 1U, 2U})
      EXPECT_FALSE(lists_device(place, index)) << place;
  }
}

}  // namespace
}  // namespace drover
