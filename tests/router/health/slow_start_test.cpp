#include "router/health/outlier_detector.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

struct Moment {
  double elapsed_s;
  double aggression;
  double expected;
};

TEST(SlowStart, GrowsWithTimeFromTheLeastWeight) {
  for (const Moment& moment : std::vector<Moment>{
           {0, 1, 0.1},
           {3, 1, 0.1},  // 0.05 would be less than the least
           {6, 1, 0.1},
           {30, 1, 0.5},
           {59, 1, 59.0 / 60},
           {60, 1, 1},
           {1000, 1, 1},
           {-5, 1, 0.1},  // a clock that went back is no reason for more
           {15, 2, 0.5},  // the square root of a quarter
           {30, 0.5, 0.25},
       }) {
    const SlowStart rules{60, 0.1, moment.aggression};
    EXPECT_DOUBLE_EQ(slow_start_factor(rules, from_seconds(moment.elapsed_s), 2), moment.expected)
        << moment.elapsed_s << " s, aggression " << moment.aggression;
  }
}

TEST(SlowStart, NeverShrinks) {
  for (const double aggression : {0.5, 1.0, 1.5, 4.0}) {
    double before = 0;
    for (int second = 0; second <= 70; ++second) {
      const double factor =
          slow_start_factor({60, 0.1, aggression}, std::chrono::seconds(second), 9);
      EXPECT_GE(factor, before) << second;
      before = factor;
    }
    EXPECT_EQ(before, 1);
  }
}

TEST(SlowStart, TheOnlyCandidateOfATierTakesFullLoadImmediately) {
  EXPECT_EQ(slow_start_factor({}, Duration{0}, 1), 1);
  EXPECT_LT(slow_start_factor({}, Duration{0}, 2), 1);
}

TEST(SlowStart, AWindowOfZeroIsOff) {
  EXPECT_EQ(slow_start_factor({0, 0.1, 1}, Duration{0}, 2), 1);
}

}  // namespace
}  // namespace drover::router
