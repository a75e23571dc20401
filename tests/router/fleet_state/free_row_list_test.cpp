#include "router/fleet_state/free_row_list.h"

#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"

namespace drover::router {
namespace {

TEST(FreeRowList, MergesAdjacentRangesInAnyOrder) {
  FreeRowList rows;
  rows.give(8, 4);
  rows.give(0, 4);
  EXPECT_EQ(rows.longest(), 4U);
  EXPECT_FALSE(rows.take(5));
  rows.give(4, 4);
  EXPECT_EQ(rows.longest(), 12U);
  EXPECT_EQ(rows.take(12), 0U);
  EXPECT_EQ(rows.longest(), 0U);
}

TEST(FreeRowList, AllocatesFromTheSmallestRangeThatIsLargeEnough) {
  FreeRowList rows;
  rows.give(0, 100);
  rows.give(200, 8);
  EXPECT_EQ(rows.take(6), 200U);
  EXPECT_EQ(rows.take(2), 206U);
  EXPECT_EQ(rows.take(3), 0U);
  EXPECT_EQ(rows.longest(), 97U);
}

TEST(FreeRowList, NoRowIsLostOrAllocatedTwice) {
  RandomStream random(7);
  FreeRowList rows;
  std::vector<std::pair<std::uint32_t, std::size_t>> held;
  std::set<std::uint32_t> in_use;
  std::uint32_t end = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const bool gives = !held.empty() && random.below(2) == 0;
    if (gives) {
      const std::size_t which = random.below(held.size());
      const auto [first, count] = held[which];
      for (std::size_t row = first; row < first + count; ++row) in_use.erase(row);
      rows.give(first, count);
      held[which] = held.back();
      held.pop_back();
      continue;
    }
    const std::size_t count = 1 + random.below(16);
    const auto spare = rows.take(count);
    const std::uint32_t first = spare.value_or(end);
    if (!spare) end += count;
    for (std::size_t row = first; row < first + count; ++row) {
      ASSERT_TRUE(in_use.insert(row).second) << row << " is held already, turn " << turn;
    }
    held.emplace_back(first, count);
  }
  for (const auto& [first, count] : held) rows.give(first, count);
  EXPECT_EQ(rows.longest(), end) << "all of them are one range again";
}

}  // namespace
}  // namespace drover::router
