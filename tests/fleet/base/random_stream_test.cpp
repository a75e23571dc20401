#include "fleet/base/random_stream.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

std::vector<std::uint64_t> first_bits(RandomStream random, int count = 4) {
  std::vector<std::uint64_t> drawn;
  for (int index = 0; index < count; ++index) drawn.push_back(random.bits());
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
TEST(RandomStream, GivesTheReferenceNumbers) {
  EXPECT_EQ(first_bits(RandomStream(0)),
            (std::vector<std::uint64_t>{0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0,
                                        0x6aa594f1262d2d2c}));
  EXPECT_EQ(first_bits(RandomStream(42)),
            (std::vector<std::uint64_t>{0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1,
                                        0xecb8ad4703b360a1}));
}

TEST(RandomStream, SameSeedGivesTheSameNumbers) {
  EXPECT_EQ(first_bits(RandomStream(42)), first_bits(RandomStream(42)));
  EXPECT_NE(first_bits(RandomStream(42)), first_bits(RandomStream(43)));
}

TEST(RandomStream, ChildDependsOnTheParentsSeedNotOnItsUse) {
  RandomStream used(9);
  for (int count = 0; count < 100; ++count) used.bits();
  EXPECT_EQ(first_bits(used.child("arrivals")), first_bits(RandomStream(9).child("arrivals")));
  EXPECT_EQ(first_bits(used.child(3)), first_bits(RandomStream(9).child(3)));
}

TEST(RandomStream, ChildrenOfDifferentNamesShareNothing) {
  const RandomStream parent(1);
  std::set<std::uint64_t> seen;
  const auto match = [&](RandomStream random) {
    for (const std::uint64_t bits : first_bits(random, 16)) seen.insert(bits);
  };
  match(parent);
  for (std::uint64_t number = 0; number < 100; ++number) {
    match(parent.child(number));
    match(parent.child(std::to_string(number)));
    match(parent.child(number).child(number));
  }
  match(parent.child(""));
  EXPECT_EQ(seen.size(), 16U * 302U);
}

TEST(RandomStream, ChildrenOfNeighbouringSeedsAreUncorrelated) {
  double sum = 0;
  constexpr int count = 20'000;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    sum += (RandomStream(seed).child("x").uniform() - 0.5) *
           (RandomStream(seed + 1).child("x").uniform() - 0.5);
  }
  // The product of two independent uniforms has a deviation of 1/12.
  EXPECT_LT(std::fabs(sum / count), 5 * (1.0 / 12) / std::sqrt(count));
}

TEST(RandomStream, UniformFillsItsRangeEvenly) {
  RandomStream random(5);
  const Moments moments = moments_of([&] { return random.uniform(); });
  EXPECT_NEAR(moments.mean, 0.5, 0.003);
  EXPECT_NEAR(moments.deviation, std::sqrt(1.0 / 12), 0.003);
  for (int count = 0; count < 10'000; ++count) {
    const double value = random.uniform(-3, 7);
    EXPECT_GE(value, -3);
    EXPECT_LT(value, 7);
  }
}

TEST(RandomStream, BelowGivesEveryAnswerEquallyOften) {
  RandomStream random(6);
  std::vector<int> counts(7);
  for (int count = 0; count < 70'000; ++count) ++counts[random.below(7)];
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - 10'000.0) * (count - 10'000.0) / 10'000;
  EXPECT_LT(chi_squared, 22.5);  // 6 degrees of freedom, p = 0.001
  EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomStream, BelowIsFairWhereTheCountDoesNotDivideTheRange) {
  RandomStream random(7);
  const std::uint64_t count = 3ULL << 62;  // without drawing again the lower third would come twice
  int low = 0;
  for (int draw = 0; draw < 30'000; ++draw) low += random.below(count) < (1ULL << 62) ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 500);
}

TEST(RandomStream, NormalHasItsMomentsAndTails) {
  RandomStream random(8);
  const Moments moments = moments_of([&] { return random.normal(10, 2); });
  EXPECT_NEAR(moments.mean, 10, 0.03);
  EXPECT_NEAR(moments.deviation, 2, 0.03);
  EXPECT_NEAR(moments.skew, 0, 0.03);
  int beyond_one = 0;
  int beyond_three = 0;
  for (int count = 0; count < 100'000; ++count) {
    const double value = std::fabs(random.normal());
    beyond_one += value > 1 ? 1 : 0;
    beyond_three += value > 3 ? 1 : 0;
  }
  EXPECT_NEAR(beyond_one, 31'731, 700);
  EXPECT_NEAR(beyond_three, 270, 80);
}

// The distribution function of the quantile must give back the probability that was drawn.
TEST(RandomStream, NormalInvertsItsDistribution) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    RandomStream same(seed);
    const double probability =
        (static_cast<double>(RandomStream(seed).bits() >> 12) + 0.5) * 0x1p-52;
    const double back = 0.5 * std::erfc(-same.normal() / std::sqrt(2.0));
    ASSERT_NEAR(back / probability, 1, 1e-12) << seed;
  }
}

TEST(RandomStream, ExponentialAndLogNormalHaveTheirMeans) {
  RandomStream random(9);
  const Moments waits = moments_of([&] { return random.exponential(3); });
  EXPECT_NEAR(waits.mean, 3, 0.05);
  EXPECT_NEAR(waits.deviation, 3, 0.07);
  std::vector<double> lengths;
  for (int count = 0; count < 100'001; ++count) lengths.push_back(random.log_normal(100, 1.2));
  std::nth_element(lengths.begin(), lengths.begin() + 50'000, lengths.end());
  EXPECT_NEAR(lengths[50'000], 100, 2);
}

TEST(RandomStream, ChanceHasTheRequestedProbability) {
  RandomStream random(10);
  int hits = 0;
  for (int count = 0; count < 100'000; ++count) hits += random.chance(0.2) ? 1 : 0;
  EXPECT_NEAR(hits, 20'000, 600);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
}

}  // namespace
}  // namespace drover
