#include <gtest/gtest.h>

#include "devices/operation/power.h"
#include "devices/training/training.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

/// `bound` of its time stretches with the clock.
Step busy(double matrix, double memory, double bound = 1) {
  Step step;
  step.seconds = 1;
  step.parts[static_cast<std::size_t>(TimeComponent::matrix)] = bound;
  step.parts[static_cast<std::size_t>(TimeComponent::memory)] = 1 - bound;
  step.tensor_activity = matrix;
  step.memory_activity = memory;
  return step;
}

Step nothing() {
  Step step;
  step.duty_cycle = 0;
  return step;
}

// Idle: 71.8 W bare, 121.7 W with a context on H100 (arXiv:2605.23918).
TEST(Power, MatchesMeasurementsWhenIdle) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  EXPECT_DOUBLE_EQ(power_w(h100, nothing(), false, 1), 71.8);
  EXPECT_DOUBLE_EQ(power_w(h100, nothing(), true, 1), 121.7);
}

// ML.ENERGY leaderboard v3: 486 to 610 W per board for 8B chat on one H100, 441 to 500 for 70B on
// four.
TEST(Power, MatchesMeasurementsWhenDecoding) {
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

TEST(Power, IsNearTheBoardLimitWhenTraining) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  const Step nominal = training_step(on("h100-sxm", 8), model_named("llama-3.1-8b"), {64, 4096}, 1);
  const double clock =
      clock_share_of(h100.clock, steps_down_under_cap(h100, nominal, true, h100.power.tdp_w));
  const Step step =
      training_step(on("h100-sxm", 8), model_named("llama-3.1-8b"), {64, 4096}, clock);
  EXPECT_LE(power_w(h100, step, true, clock), h100.power.tdp_w);
  EXPECT_GE(power_w(h100, step, true, clock), 600);
}

TEST(Power, OfBusyLogicFollowsTheClockAndTheSquareOfTheVoltage) {
  const DeviceSpec& device = device_named("h100-sxm");
  const Step nominal = busy(0.5, 0);
  const auto dynamic_w = [&](double share) {
    return power_w(device, at_clock(nominal, share), true, share) - device.power.context_idle_w;
  };
  for (const double share : {1.05, 0.95, 0.8, 0.6, 0.4}) {
    const double voltage = voltage_share(device, share);
    EXPECT_NEAR(dynamic_w(share) / dynamic_w(1), share * voltage * voltage, 1e-12);
  }
}

TEST(Power, IsStaticPlusWhatEachUnitAdds) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    Step step;
    step.duty_cycle = 0;
    double watts = power_w(entry.spec, step, true, 0.9);
    EXPECT_EQ(watts, static_power_w(entry.spec.power, true)) << id;
    for (double Step::*activity : {&Step::duty_cycle, &Step::tensor_activity,
                                   &Step::memory_activity, &Step::link_activity}) {
      step.*activity = 0.4;
      const double more_w = power_w(entry.spec, step, true, 0.9);
      EXPECT_GT(more_w, watts) << id;
      watts = more_w;
    }
  }
}

TEST(Power, GrowsWithEveryActivity) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const double base = power_w(entry.spec, busy(0.3, 0.3), true, 1);
    EXPECT_GT(power_w(entry.spec, busy(0.4, 0.3), true, 1), base) << id;
    EXPECT_GT(power_w(entry.spec, busy(0.3, 0.4), true, 1), base) << id;
    EXPECT_LT(power_w(entry.spec, busy(0.3, 0.3), true, 0.8), base) << id;
  }
}

TEST(Power, OfAWaitingDeviceIsItsContextIdlePowerPlusTraffic) {
  const DeviceSpec& device = device_named("h100-sxm");
  Step step = busy(0, 0.3);
  const double working_w = power_w(device, step, true, 1);
  step.waiting = 0.4;
  const double sometimes_w = power_w(device, step, true, 1);
  step.waiting = 1;
  const double waiting_w = power_w(device, step, true, 1);
  EXPECT_NEAR(sometimes_w, 0.6 * working_w + 0.4 * waiting_w, 1e-9);
  EXPECT_NEAR(waiting_w - device.power.context_idle_w,
              0.3 * device.power.memory_byte_j * device.memory.bandwidth, 1e-9);
}

TEST(Power, StepsWaitAsLongAsTheirPartsIndicate) {
  const auto part_of = [](const Step& step, TimeComponent part) {
    return step.parts[static_cast<std::size_t>(part)] / step.seconds;
  };
  EXPECT_EQ(decode_step(on("h100-sxm"), model_named("llama-3.1-8b"), 8, 4000, 1).waiting, 0);
  const Step decode = decode_step(on("h100-sxm", 4), model_named("llama-3.1-70b"), 8, 4000, 1);
  EXPECT_GT(decode.waiting, 0.02);
  EXPECT_DOUBLE_EQ(decode.waiting, part_of(decode, TimeComponent::collectives));
  const Step train =
      training_step(on("h100-sxm", 64), model_named("llama-3.1-70b"), {128, 8192}, 1);
  EXPECT_GT(train.waiting, 0.02);
  EXPECT_DOUBLE_EQ(train.waiting, part_of(train, TimeComponent::collectives) +
                                      part_of(train, TimeComponent::bubble));
  const Step net = training_step(on("t4", 8), model_named("resnet-50"), {64, 1}, 1);
  EXPECT_DOUBLE_EQ(net.waiting, part_of(net, TimeComponent::collectives));
}

TEST(Power, PicksTheLargestClockStepUnderTheCap) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& spec = entry.spec;
    for (const double bound : {1.0, 0.5, 0.0}) {
      const Step step = busy(0.7, 0.4, bound);
      const auto drawn_w = [&](int steps_down) {
        const double share = clock_share_of(spec.clock, steps_down);
        return power_w(spec, at_clock(step, share), true, share);
      };
      for (double cap = spec.power.cap_min_w; cap <= spec.power.tdp_w; cap += 7) {
        const int down = steps_down_under_cap(spec, step, true, cap);
        if (down < clock_steps(spec.clock)) {
          EXPECT_LE(drawn_w(down), cap) << id;
        }
        if (down > 0) {
          EXPECT_GT(drawn_w(down - 1), cap) << id;
        }
      }
    }
  }
}

}  // namespace
}  // namespace drover::devices
