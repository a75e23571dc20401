#include "fleet/base/dice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

std::vector<std::uint64_t> first_bits(Dice dice, int count = 4) {
  std::vector<std::uint64_t> drawn;
  for (int index = 0; index < count; ++index) drawn.push_back(dice.bits());
  return drawn;
}

struct Moments {
  double mean = 0, deviation = 0, skew = 0;
};

template <typename Draw>
Moments moments_of(Draw draw, int count = 200'000) {
  std::vector<double> values;
  for (int index = 0; index < count; ++index) values.push_back(draw());
  Moments moments;
  for (const double value : values) moments.mean += value / count;
  double cubes = 0;
  for (const double value : values) {
    const double away = value - moments.mean;
    moments.deviation += away * away / count;
    cubes += away * away * away / count;
  }
  moments.deviation = std::sqrt(moments.deviation);
  moments.skew = cubes / std::pow(moments.deviation, 3);
  return moments;
}

// Computed with a second implementation of splitmix64.c and xoshiro256starstar.c
// (prng.di.unimi.it), itself checked by the published outputs for the state {1, 2, 3, 4}: 11520, 0,
// 1509978240, ...
TEST(Dice, GivesTheReferenceNumbers) {
  EXPECT_EQ(first_bits(Dice(0)),
            (std::vector<std::uint64_t>{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0,
                                        0x6aa594f1262d2d2c}));
  EXPECT_EQ(first_bits(Dice(42)),
            (std::vector<std::uint64_t>{0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1,
                                        0xecb8ad4703b360a1}));
}

TEST(Dice, SameSeedGivesTheSameNumbers) {
  EXPECT_EQ(first_bits(Dice(42)), first_bits(Dice(42)));
  EXPECT_NE(first_bits(Dice(42)), first_bits(Dice(43)));
}

TEST(Dice, ChildDependsOnTheParentsSeedNotOnItsUse) {
  Dice used(9);
  for (int count = 0; count < 100; ++count) used.bits();
  EXPECT_EQ(first_bits(used.child("arrivals")), first_bits(Dice(9).child("arrivals")));
  EXPECT_EQ(first_bits(used.child(3)), first_bits(Dice(9).child(3)));
}

TEST(Dice, ChildrenOfDifferentNamesShareNothing) {
  const Dice parent(1);
  std::set<std::uint64_t> seen;
  const auto see = [&](Dice dice) {
    for (const std::uint64_t bits : first_bits(dice, 16)) seen.insert(bits);
  };
  see(parent);
  for (std::uint64_t number = 0; number < 100; ++number) {
    see(parent.child(number));
    see(parent.child(std::to_string(number)));
    see(parent.child(number).child(number));
  }
  see(parent.child(""));
  EXPECT_EQ(seen.size(), 16U * 302U);
}

TEST(Dice, ChildrenOfNeighbouringSeedsAreUncorrelated) {
  double sum = 0;
  constexpr int count = 20'000;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    sum += (Dice(seed).child("x").uniform() - 0.5) * (Dice(seed + 1).child("x").uniform() - 0.5);
  }
  // The product of two independent uniforms has a deviation of 1/12.
  EXPECT_LT(std::fabs(sum / count), 5 * (1.0 / 12) / std::sqrt(count));
}

TEST(Dice, UniformFillsItsRangeEvenly) {
  Dice dice(5);
  const Moments moments = moments_of([&] { return dice.uniform(); });
  EXPECT_NEAR(moments.mean, 0.5, 0.003);
  EXPECT_NEAR(moments.deviation, std::sqrt(1.0 / 12), 0.003);
  for (int count = 0; count < 10'000; ++count) {
    const double value = dice.uniform(-3, 7);
    EXPECT_GE(value, -3);
    EXPECT_LT(value, 7);
  }
}

TEST(Dice, BelowGivesEveryAnswerEquallyOften) {
  Dice dice(6);
  std::vector<int> counts(7);
  for (int count = 0; count < 70'000; ++count) ++counts[dice.below(7)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10'000.0) * (count - 10'000.0) / 10'000;
  EXPECT_LT(chi_squared, 22.5);  // 6 degrees of freedom, p = 0.001
  EXPECT_EQ(dice.below(1), 0U);
}

TEST(Dice, BelowIsFairWhereTheCountDoesNotDivideTheRange) {
  Dice dice(7);
  const std::uint64_t count = 3ULL << 62;  // without drawing again the lower third would come twice
  int low = 0;
  for (int draw = 0; draw < 30'000; ++draw) low += dice.below(count) < (1ULL << 62) ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 500);
}

TEST(Dice, NormalHasItsMomentsAndTails) {
  Dice dice(8);
  const Moments moments = moments_of([&] { return dice.normal(10, 2); });
  EXPECT_NEAR(moments.mean, 10, 0.03);
  EXPECT_NEAR(moments.deviation, 2, 0.03);
  EXPECT_NEAR(moments.skew, 0, 0.03);
  int beyond_one = 0;
  int beyond_three = 0;
  for (int count = 0; count < 100'000; ++count) {
    const double value = std::fabs(dice.normal());
    beyond_one += value > 1 ? 1 : 0;
    beyond_three += value > 3 ? 1 : 0;
  }
  EXPECT_NEAR(beyond_one, 31'731, 700);
  EXPECT_NEAR(beyond_three, 270, 80);
}

// The distribution function of the quantile must give back the probability that was drawn.
TEST(Dice, NormalInvertsItsDistribution) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Dice same(seed);
    const double probability = (static_cast<double>(Dice(seed).bits() >> 12) + 0.5) * 0x1p-52;
    const double back = 0.5 * std::erfc(-same.normal() / std::sqrt(2.0));
    ASSERT_NEAR(back / probability, 1, 1e-12) << seed;
  }
}

TEST(Dice, ExponentialAndLogNormalHaveTheirMeans) {
  Dice dice(9);
  const Moments waits = moments_of([&] { return dice.exponential(3); });
  EXPECT_NEAR(waits.mean, 3, 0.05);
  EXPECT_NEAR(waits.deviation, 3, 0.07);
  std::vector<double> lengths;
  for (int count = 0; count < 100'001; ++count) lengths.push_back(dice.log_normal(100, 1.2));
  std::nth_element(lengths.begin(), lengths.begin() + 50'000, lengths.end());
  EXPECT_NEAR(lengths[50'000], 100, 2);
}

TEST(Dice, ChanceIsAsLikelyAsAsked) {
  Dice dice(10);
  int hits = 0;
  for (int count = 0; count < 100'000; ++count) hits += dice.chance(0.2) ? 1 : 0;
  EXPECT_NEAR(hits, 20'000, 600);
  EXPECT_FALSE(dice.chance(0));
  EXPECT_TRUE(dice.chance(1));
}

}  // namespace
}  // namespace drover
