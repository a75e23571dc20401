#include "fleet/base/text.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(NaturalOrder, SortsNumbersByValue) {
  const std::vector<std::string> ordered = {"",    "2",   "10",   "a",    "a1",    "a02",
                                            "a2b", "a10", "a10b", "b1-2", "b1-10", "b02"};
  for (std::size_t a = 0; a < ordered.size(); ++a) {
    for (std::size_t b = 0; b < ordered.size(); ++b) {
      EXPECT_EQ(natural_less(ordered[a], ordered[b]), a < b) << ordered[a] << " " << ordered[b];
    }
  }
}

TEST(NaturalOrder, DistinguishesNamesThatDifferOnlyInZeros) {
  EXPECT_TRUE(natural_less("a2", "a02"));
  EXPECT_FALSE(natural_less("a02", "a2"));
  EXPECT_FALSE(natural_less("a2", "a2"));
  EXPECT_TRUE(natural_less("a99999999999999999999", "a100000000000000000000"));
}

}  // namespace
}  // namespace drover
