// Voltage over frequency, how much a slower clock costs, and where sustained work settles.
#include <gtest/gtest.h>

#include "devices/operation/clock.h"
#include "devices/operation/power.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

/// A second of work, of which `bound` stretches with the clock.
Step work(double matrix, double memory, double bound) {
  Step step;
  step.seconds = 1;
  step.tensor_activity = matrix;
  step.memory_activity = memory;
  step.parts[static_cast<std::size_t>(TimeComponent::matrix)] = bound;
  step.parts[static_cast<std::size_t>(TimeComponent::memory)] = 1 - bound;
  return step;
}

PowerLimitedStep power_limited_step(const DeviceSpec& device, const Step& nominal, double limit_w) {
  return devices::power_limited_step(device, limit_w,
                                     [&](double share) { return at_clock(nominal, share); });
}

// One H100 PCIe board, read point by point (yqg9651/cuda_test): millivolts at megahertz.
TEST(Clock, NeedsTheVoltageThatAnH100BoardShows) {
  const DeviceSpec& board = device_named("h100-pcie");
  const double top = voltage_share(board, 1755 / board.clock.nominal_mhz);
  struct Point {
    double mhz, millivolt;
  };
  for (const Point& point : {Point{1755, 850}, Point{1605, 795}, Point{1455, 750}, Point{1305, 720},
                             Point{1155, 685}, Point{900, 675}, Point{345, 675}}) {
    const double share = voltage_share(board, point.mhz / board.clock.nominal_mhz) / top;
    EXPECT_NEAR(850 * share, point.millivolt, 16) << point.mhz;
  }
}

TEST(Clock, VoltageIsFlatBelowTheKneeAndRisesAboveIt) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& spec = entry.spec;
    const double knee = spec.clock.knee_mhz / spec.clock.nominal_mhz;
    EXPECT_NEAR(voltage_share(spec, knee), voltage_share(spec, knee / 2), 1e-9) << id;
    EXPECT_DOUBLE_EQ(voltage_share(spec, 1), 1) << id;
    double below = 0;
    for (int step = clock_steps(spec.clock); step >= 0; --step) {
      const double share = clock_share_of(spec.clock, step);
      EXPECT_GE(voltage_share(spec, share), voltage_share(spec, share - 0.01) - 1e-12) << id;
      EXPECT_GT(switching_share(spec, share), below) << id;
      below = switching_share(spec, share);
    }
  }
}

TEST(Clock, CoresBelowAMinimumClockLimitMemoryBandwidth) {
  const DeviceSpec& board = device_named("a40");
  ASSERT_GT(board.clock.memory_share, board.clock.min_share);
  EXPECT_DOUBLE_EQ(memory_rate(board, 1), board.memory.bandwidth);
  EXPECT_DOUBLE_EQ(memory_rate(board, board.clock.memory_share), board.memory.bandwidth);
  EXPECT_DOUBLE_EQ(memory_rate(board, board.clock.memory_share / 2), board.memory.bandwidth / 2);
}

TEST(Clock, ALowerOneStretchesOnlyClockBoundTimeAndLowersActivity) {
  const Step step = work(0.5, 0.4, 0.6);
  const Step slow = at_clock(step, 0.5);
  EXPECT_DOUBLE_EQ(slow.seconds, 0.4 + 0.6 / 0.5);
  EXPECT_DOUBLE_EQ(slow.seconds * slow.tensor_activity, 0.5);
  EXPECT_DOUBLE_EQ(slow.seconds * slow.memory_activity, 0.4);
  EXPECT_DOUBLE_EQ(clock_bound(slow), 1.2 / 1.6);
  const Step back = at_clock(slow, 2);
  EXPECT_DOUBLE_EQ(back.seconds, 1);
  EXPECT_DOUBLE_EQ(back.tensor_activity, 0.5);
  EXPECT_DOUBLE_EQ(clock_bound(back), 0.6);
}

TEST(Clock, TheMeanPowerExceedsNeitherTheLimitNorTheDemand) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& spec = entry.spec;
    double before = 0;
    for (double limit = 10; limit <= 3 * spec.power.tdp_w; limit += 10) {
      const double watts = limited_power_w(spec.power, spec.power.tdp_w, limit);
      EXPECT_LE(watts, std::min(limit, spec.power.tdp_w)) << id;
      EXPECT_GE(watts, before) << id << ": a higher limit never leaves less";
      before = watts;
    }
  }
}

TEST(Clock, ALowerLimitIsNeverFasterAndOnlyTheMinimumClockExceedsIt) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& spec = entry.spec;
    for (const double matrix : {0.0, 0.1, 0.4, 0.9}) {
      for (const double bound : {0.2, 1.0}) {
        double share = boost_share(spec.clock), seconds = 0;
        for (double limit = spec.power.tdp_w; limit > 5; limit *= 0.97) {
          const PowerLimitedStep run = power_limited_step(spec, work(matrix, 0.5, bound), limit);
          EXPECT_LE(run.clock_share, share) << id;
          EXPECT_GE(run.step.seconds, seconds) << id;
          share = run.clock_share;
          seconds = run.step.seconds;
          if (share > spec.clock.min_share) {
            EXPECT_LE(run.power_w, limit * (1 + 1e-9)) << id;
          }
        }
        EXPECT_EQ(share, spec.clock.min_share) << id;
      }
    }
  }
}

TEST(Clock, LowPowerWorkRunsAtTheBoostClock) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  const PowerLimitedStep run = power_limited_step(h100, work(0.01, 0.4, 0.1), h100.power.tdp_w);
  EXPECT_NEAR(run.clock_share * h100.clock.nominal_mhz, 1980, 15);
}

// Zeus (NSDI'23): BERT base on SQuAD, batch 24, fp32 on one V100 of 250 W, mean of each run.
TEST(Clock, CapsATrainingJobAsMeasuredOnV100) {
  const DeviceSpec& v100 = device_named("v100-pcie");
  const Step step = work(0.92, 0.1, 0.95);
  const double free_s = power_limited_step(v100, step, 250).step.seconds;
  struct Row {
    double limit_w, watts, rate;
  };
  for (const Row& row : {Row{250, 228, 1}, Row{225, 212, 0.976}, Row{200, 191, 0.937},
                         Row{175, 171, 0.889}, Row{150, 147, 0.804}, Row{125, 123, 0.667}}) {
    const PowerLimitedStep run = power_limited_step(v100, step, row.limit_w);
    EXPECT_NEAR(run.power_w / row.watts, 1, 0.03) << row.limit_w;
    EXPECT_NEAR(free_s / run.step.seconds, row.rate, 0.05) << row.limit_w;
  }
}

// MLPerf inference, BERT-large offline on DGX A100: v2.1 275 W instead of 400 W leaves 0.844 of the
// rate; v1.1: 300 W leaves 0.872.
TEST(Clock, CapsInferenceAsMeasuredOnA100) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  const Step step = work(0.75, 0.2, 1);
  const double free_s = power_limited_step(a100, step, 400).step.seconds;
  EXPECT_NEAR(free_s / power_limited_step(a100, step, 275).step.seconds, 0.844, 0.03);
  EXPECT_NEAR(free_s / power_limited_step(a100, step, 300).step.seconds, 0.872, 0.03);
}

}  // namespace
}  // namespace drover::devices
