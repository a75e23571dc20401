#include "router/policy/spillover.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

std::vector<TierCapacity> of_percents(const std::vector<double>& healthy) {
  std::vector<TierCapacity> tiers;
  for (const double percent : healthy) tiers.push_back({percent, 100});
  return tiers;
}

std::vector<int> percents(const std::vector<TierLoad>& loads) {
  std::vector<int> all;
  for (const TierLoad& load : loads) all.push_back(load.percent);
  return all;
}

/// 'h' healthy, 'a' all, 'n' none.
std::string uses(const std::vector<TierLoad>& loads) {
  std::string all;
  for (const TierLoad& load : loads) all += "han"[static_cast<std::size_t>(load.use)];
  return all;
}

struct Vector {
  std::vector<double> healthy_percent;
  std::vector<int> load_percent;
};

// The three tables of Envoy's page on priority levels, and its example of healths 20 and 30.
TEST(Spillover, FollowsThePublishedVectorsOfPriorityLevels) {
  for (const Vector& vector : std::vector<Vector>{
           {{100, 100}, {100, 0}},
           {{72, 100}, {100, 0}},
           {{71, 100}, {99, 1}},
           {{50, 100}, {70, 30}},
           {{25, 100}, {35, 65}},
           {{0, 100}, {0, 100}},
           {{72, 72}, {100, 0}},
           {{71, 71}, {99, 1}},
           {{50, 50}, {70, 30}},
           {{25, 25}, {50, 50}},
           {{5, 65}, {7, 93}},
           {{100, 100, 100}, {100, 0, 0}},
           {{72, 72, 100}, {100, 0, 0}},
           {{71, 71, 100}, {99, 1, 0}},
           {{50, 50, 100}, {70, 30, 0}},
           {{25, 100, 100}, {35, 65, 0}},
           {{25, 25, 100}, {35, 35, 30}},
           {{25, 25, 20}, {36, 36, 28}},
           {{20 / 1.4, 30 / 1.4}, {40, 60}},
       }) {
    const auto tiers = of_percents(vector.healthy_percent);
    EXPECT_EQ(percents(spill(tiers, {})), vector.load_percent)
        << testing::PrintToString(vector.healthy_percent);
  }
}

struct PanicVector {
  std::vector<double> healthy_percent;
  std::string uses;
};

// The tables of its page on the panic threshold; their traffic of 50/60 and 25/100 contradicts the
// formula, their panics do not.
TEST(Spillover, FollowsThePublishedVectorsOfPanic) {
  for (const PanicVector& vector : std::vector<PanicVector>{
           {{72, 100}, "hh"},
           {{50, 100}, "hh"},
           {{25, 100}, "hh"},
           {{0, 100}, "hh"},
           {{72, 72}, "hh"},
           {{50, 60}, "hh"},
           {{25, 25}, "aa"},
           {{5, 65}, "ah"},
       }) {
    EXPECT_EQ(uses(spill(of_percents(vector.healthy_percent), {})), vector.uses)
        << testing::PrintToString(vector.healthy_percent);
  }
}

TEST(Spillover, APanicThatFailsSendsItsShareNowhere) {
  Spillover rules;
  rules.panic.action = PanicAction::fail;
  const auto loads = spill(of_percents({5, 65}), rules);
  EXPECT_EQ(percents(loads), (std::vector<int>{7, 93}));
  EXPECT_EQ(uses(loads), "nh");
}

TEST(Spillover, WithNothingHealthyAllGoesToTheFirstTierThatHasAnything) {
  EXPECT_EQ(percents(spill(of_percents({0, 0}), {})), (std::vector<int>{100, 0}));
  EXPECT_EQ(uses(spill(of_percents({0, 0}), {})), "aa");
  const std::vector<TierCapacity> first_is_empty{{0, 0}, {0, 10}, {0, 10}};
  EXPECT_EQ(percents(spill(first_is_empty, {})), (std::vector<int>{0, 100, 0}));
  EXPECT_EQ(uses(spill(first_is_empty, {})), "haa");
}

TEST(Spillover, AThresholdOfZeroNeverPanics) {
  Spillover rules;
  rules.panic.below = 0;
  EXPECT_EQ(uses(spill(of_percents({5, 5}), rules)), "hh");
  EXPECT_EQ(percents(spill(of_percents({0, 0}), rules)), (std::vector<int>{0, 0}));
  EXPECT_EQ(uses(spill(of_percents({0, 0}), rules)), "hh");
}

TEST(Spillover, AHealthyShareEqualToTheThresholdIsNoPanic) {
  const Panic half;
  EXPECT_FALSE(below_panic({5, 10}, half));
  EXPECT_TRUE(below_panic({4.9, 10}, half));
  EXPECT_FALSE(below_panic({0, 0}, half)) << "nothing is there";
  EXPECT_FALSE(below_panic({0, 10}, {0, PanicAction::use_all}));
}

TEST(Spillover, CountsCapacityAndNotHosts) {
  // One of two hosts is gone, but it was the one that did nine tenths of the work.
  const std::vector<TierCapacity> tiers{{1'000, 10'000}, {10'000, 10'000}};
  EXPECT_EQ(percents(spill(tiers, {})), (std::vector<int>{14, 86}));
}

struct Unequal {
  std::vector<TierCapacity> tiers;
  std::vector<int> own_total, first_total;
};

TEST(Spillover, MeasuredByTheFirstTierASmallOneTakesWhatItIsWorth) {
  for (const Unequal& one : std::vector<Unequal>{
           // As large as each other: nothing differs.
           {{{50, 100}, {100, 100}}, {70, 30}, {70, 30}},
           // The second is a tenth of the first: 14 % of it, with overprovision, for the 30 % left.
           {{{50, 100}, {10, 10}}, {70, 30}, {83, 17}},
           // The second is ten times the first: a tenth of it is healthy, and that is enough.
           {{{50, 100}, {100, 1000}}, {83, 17}, {70, 30}},
           // An empty first tier is no measure.
           {{{0, 0}, {50, 100}, {100, 100}}, {0, 70, 30}, {0, 70, 30}},
       }) {
    Spillover rules;
    EXPECT_EQ(percents(spill(one.tiers, rules)), one.own_total);
    rules.reference = TierReference::first_total;
    EXPECT_EQ(percents(spill(one.tiers, rules)), one.first_total);
  }
}

TEST(Spillover, WithoutOverprovisionEveryLossSpills) {
  Spillover rules;
  rules.overprovision = 1;
  EXPECT_EQ(percents(spill(of_percents({99, 100}), rules)), (std::vector<int>{99, 1}));
}

TEST(Spillover, WhatRoundingLeavesGoesToTheFirstHealthyTier) {
  Spillover rules;
  rules.overprovision = 1;
  EXPECT_EQ(percents(spill(of_percents({0, 10, 10, 10}), rules)),
            (std::vector<int>{0, 34, 33, 33}));
}

TEST(Spillover, NothingIsLostWhateverIsHealthy) {
  for (int first = 0; first <= 100; first += 4) {
    for (int second = 0; second <= 100; second += 7) {
      for (int third = 0; third <= 100; third += 9) {
        const auto loads = spill(of_percents({double(first), double(second), double(third)}), {});
        int sum = 0;
        for (const TierLoad& load : loads) {
          EXPECT_GE(load.percent, 0);
          sum += load.percent;
        }
        EXPECT_EQ(sum, 100) << first << " " << second << " " << third;
      }
    }
  }
}

TEST(Spillover, NoTiersHaveNoLoads) { EXPECT_TRUE(spill({}, {}).empty()); }

}  // namespace
}  // namespace drover::router
