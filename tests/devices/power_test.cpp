#include <gtest/gtest.h>

#include "devices/power.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

Step busy(double matrix, double memory) {
  Step step;
  step.matrix_activity = matrix;
  step.memory_activity = memory;
  return step;
}

Step nothing() {
  Step step;
  step.duty = 0;
  return step;
}

// Idle: 71.8 W bare, 121.7 W with a context on H100 (arXiv:2605.23918).
TEST(Power, IdlesAsMeasured) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  EXPECT_DOUBLE_EQ(power_w(h100, nothing(), false, 1), 71.8);
  EXPECT_DOUBLE_EQ(power_w(h100, nothing(), true, 1), 121.7);
}

// ML.ENERGY leaderboard v3: 486 to 610 W per board for 8B chat on one H100, 441 to 500 for 70B on
// four.
TEST(Power, DecodesAtThePowerThatWasMeasured) {
  struct Row {
    int devices;
    const char* model;
    std::uint32_t batch;
    double measured_w;
  };
  for (const Row& row : {Row{1, "llama-3.1-8b", 8, 486}, Row{1, "llama-3.1-8b", 64, 610},
                         Row{4, "llama-3.1-70b", 8, 441}, Row{4, "llama-3.1-70b", 64, 500}}) {
    const Step step = decode_step(on("h100-sxm", row.devices), model_named(row.model), row.batch,
                                  450.0 * row.batch, 1);
    const double watts = power_w(device_named("h100-sxm"), step, true, 1);
    EXPECT_NEAR(watts / row.measured_w, 1, 0.18) << row.model << " " << row.batch;
  }
}

TEST(Power, TrainsNearTheBoardLimit) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  const Step nominal = training_step(on("h100-sxm", 8), model_named("llama-3.1-8b"), {64, 4096}, 1);
  const double clock = clock_share_under_cap(h100, nominal, h100.tdp_w);
  const Step step =
      training_step(on("h100-sxm", 8), model_named("llama-3.1-8b"), {64, 4096}, clock);
  EXPECT_LE(power_w(h100, step, true, clock), h100.tdp_w);
  EXPECT_GE(power_w(h100, step, true, clock), 600);
}

TEST(Power, FollowsTheCubeAboveTheKneeAndTheLineBelow) {
  DeviceSpec device = device_named("h100-sxm");
  device.active_w = 0;
  const auto dynamic_w = [&](double share) {
    // Achieved rate falls with the clock.
    return power_w(device, busy(0.5 * share, 0), true, share) - device.open_w;
  };
  EXPECT_NEAR(dynamic_w(0.9) / dynamic_w(1), 0.9 * 0.9 * 0.9, 1e-12);
  const double knee = device.clock_knee_share;
  EXPECT_NEAR(dynamic_w(knee / 2) / dynamic_w(knee), 0.5, 1e-12);
}

TEST(Power, GrowsWithEveryActivity) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const double base = power_w(entry.spec, busy(0.3, 0.3), true, 1);
    EXPECT_GT(power_w(entry.spec, busy(0.4, 0.3), true, 1), base) << id;
    EXPECT_GT(power_w(entry.spec, busy(0.3, 0.4), true, 1), base) << id;
    EXPECT_LT(power_w(entry.spec, busy(0.3, 0.3), true, 0.8), base) << id;
  }
}

TEST(Power, PicksTheLargestClockStepUnderTheCap) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& spec = entry.spec;
    const Step step = busy(0.7, 0.4);
    for (double cap = spec.power_cap_min_w; cap <= spec.tdp_w; cap += 7) {
      const double share = clock_share_under_cap(spec, step, cap);
      const auto drawn_w = [&](double at) { return power_w(spec, busy(0.7 * at, 0.4), true, at); };
      const double slowest = clock_share_of(spec, clock_steps(spec));
      if (share > slowest) {
        EXPECT_LE(drawn_w(share), cap) << id;
      }
      if (share < 1) {
        EXPECT_GT(drawn_w(share + spec.clock_step_share), cap) << id;
      }
    }
  }
}

// Zeus traces (NSDI'23): training jobs that draw 240 W of a 250 W V100 keep 0.84 of their rate
// under a cap of 60 %, 0.71 under 50 %, 0.55 under 40 %; static part about 60 W, knee at 0.70.
TEST(Power, ACapCostsLessRateThanItSavesPower) {
  DeviceSpec v100 = device_named("a100-sxm-80gb");
  v100.open_w = 60;
  v100.active_w = 0;
  v100.matrix_w = 300;
  v100.clock_knee_share = 0.70;
  const Step hot = busy(0.6, 0);
  EXPECT_NEAR(clock_share_under_cap(v100, hot, 150), 0.836, 0.06);
  EXPECT_NEAR(clock_share_under_cap(v100, hot, 125), 0.706, 0.06);
  // Deep caps cost less in truth than the law says.
  EXPECT_NEAR(clock_share_under_cap(v100, hot, 100), 0.546, 0.12);
}

}  // namespace
}  // namespace drover::devices
