// The closed form of the heat against brute force.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "devices/board/thermal_model.h"
#include "fleet/base/random_stream.h"

namespace drover::devices {
namespace {

constexpr Cooling h100_like{0.02, 3, 0.045, 40};

Temperatures euler(const Cooling& cooling, Temperatures state, double inlet_c, double power_w,
                   double seconds) {
  const double step_s = 1e-4;
  const auto steps = static_cast<long>(std::llround(seconds / step_s));
  for (long i = 0; i < steps; ++i) {
    const double sink_rate =
        (inlet_c + cooling.sink_k_per_w * power_w - state.sink_c) / cooling.sink_s;
    const double die_rate =
        (state.sink_c + cooling.die_k_per_w * power_w - state.die_c) / cooling.die_s;
    state.sink_c += sink_rate * step_s;
    state.die_c += die_rate * step_s;
  }
  return state;
}

TEST(ThermalModel, MatchesFineStepIntegration) {
  RandomStream random(7);
  for (int round = 0; round < 20; ++round) {
    const Temperatures start{random.uniform(20, 95), random.uniform(20, 80)};
    const double inlet_c = random.uniform(15, 45), power_w = random.uniform(0, 800);
    const double seconds = random.uniform(0.5, 60);
    const Temperatures exact = ThermalTransient(h100_like, start, inlet_c, power_w).at(seconds);
    const Temperatures stepped = euler(h100_like, start, inlet_c, power_w, seconds);
    EXPECT_NEAR(exact.die_c, stepped.die_c, 2e-3);
    EXPECT_NEAR(exact.sink_c, stepped.sink_c, 2e-3);
  }
}

TEST(ThermalModel, SettlesAtInletPlusResistanceTimesPower) {
  const Temperatures end = ThermalTransient(h100_like, {30, 30}, 22, 700).at(1e6);
  EXPECT_NEAR(end.die_c, 22 + 0.065 * 700, 1e-9);
  EXPECT_NEAR(end.sink_c, 22 + 0.045 * 700, 1e-9);
}

TEST(ThermalModel, SplittingAnIntervalDoesNotChangeTheResult) {
  const ThermalTransient whole(h100_like, {35, 31}, 25, 500);
  const ThermalTransient second(h100_like, whole.at(7), 25, 500);
  EXPECT_NEAR(second.at(13).die_c, whole.at(20).die_c, 1e-9);
}

TEST(ThermalModel, FindsTheFirstCrossing) {
  RandomStream random(11);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    const Temperatures start{random.uniform(20, 95), random.uniform(20, 95)};
    const ThermalTransient course(h100_like, start, random.uniform(15, 45), random.uniform(0, 800));
    const double level_c = random.uniform(25, 95);
    const bool rising = start.die_c < level_c;
    const std::optional<double> at =
        rising ? course.die().reaches(level_c) : course.die().falls_to(level_c);
    const auto beyond = [&](double seconds) {
      return rising ? course.die().at(seconds) >= level_c : course.die().at(seconds) <= level_c;
    };
    double scanned = -1;
    for (double seconds = 0; seconds < 400 && scanned < 0; seconds += 0.05) {
      if (beyond(seconds)) scanned = seconds;
    }
    if (scanned >= 0) {
      ASSERT_TRUE(at.has_value());
      EXPECT_TRUE(beyond(*at));
      EXPECT_LE(*at, scanned);
      EXPECT_GE(*at, scanned - 0.051);
      ++found;
    } else if (at) {
      EXPECT_GT(*at, 399);
    }
  }
  EXPECT_GT(found, 100);
}

TEST(ThermalModel, SearchesFromALaterTime) {
  // Starts hot, falls below the level, and is asked after that: it does not come back.
  const ThermalTransient course(h100_like, {90, 60}, 22, 100);
  EXPECT_EQ(course.die().reaches(80, 0), 0.0);
  EXPECT_FALSE(course.die().reaches(80, 50).has_value());
  EXPECT_EQ(course.die().falls_to(80, 50), 50.0);
}

TEST(ThermalModel, TemperaturesStayWithinTheirBounds) {
  RandomStream random(3);
  for (int round = 0; round < 200; ++round) {
    const ThermalTransient course(h100_like, {random.uniform(20, 95), random.uniform(20, 95)},
                                  random.uniform(15, 45), random.uniform(0, 800));
    for (double seconds = 0; seconds < 300; seconds += 1.7) {
      EXPECT_LE(course.die().at(seconds), course.die().upper_bound_c() + 1e-9);
      EXPECT_GE(course.die().at(seconds), course.die().lower_bound_c() - 1e-9);
    }
  }
}

TEST(ThermalModel, MemoryFollowsTheSinkAndTheDieImmediately) {
  constexpr MemoryThermalCoupling beside{18, 0.75, 0.5};
  RandomStream random(13);
  for (int round = 0; round < 100; ++round) {
    const Temperatures start{random.uniform(20, 95), random.uniform(20, 80)};
    const double inlet_c = random.uniform(15, 45), power_w = random.uniform(0, 800);
    const ThermalTransient course(h100_like, start, inlet_c, power_w, beside);
    const ThermalTransient bare(h100_like, start, inlet_c, power_w);
    for (const double seconds : {0.0, 0.3, 4.0, 70.0}) {
      const Temperatures now = course.at(seconds);
      EXPECT_NEAR(course.memory().at(seconds),
                  inlet_c + 18 + 0.75 * (now.sink_c - inlet_c) + 0.5 * (now.die_c - now.sink_c),
                  1e-9);
      EXPECT_NEAR(bare.memory().at(seconds), now.die_c, 1e-9) << "without a model, the die's";
    }
  }
}

}  // namespace
}  // namespace drover::devices
