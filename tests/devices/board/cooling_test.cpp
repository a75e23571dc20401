// Fans, the memory's temperature, and the counters of what held the clock down.
#include <chrono>

#include <gtest/gtest.h>

#include "devices/board/chassis.h"
#include "devices/board/chip.h"
#include "tests/devices/board/chassis_host.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// An H100 whose fans have one speed.
DeviceSpec without_fan_steps() {
  DeviceSpec spec = device_named("h100-sxm");
  spec.thermal.fan_steps = 0;
  return spec;
}

Chassis chassis_with(const DeviceSpec& spec, double inlet_c) {
  return Chassis({&spec}, Ambient{inlet_c, 0.002}, RandomStream(1).child("host"), start);
}

TEST(Fans, StayAtNormalAirflowWhileTheDieIsCool) {
  const DeviceSpec still = without_fan_steps();
  Host with(chassis_of("h100-sxm", 1, 20));
  Host without(chassis_with(still, 20));
  const Instant now = start + minutes(10);
  for (Host* host : {&with, &without}) {
    host->run(start, 0, training);
    host->advance(now);
  }
  EXPECT_DOUBLE_EQ(with.read(now, Metric::temperature), without.read(now, Metric::temperature));
}

TEST(Fans, CoolADeviceNearItsLimitAndSlowDownWithoutOscillating) {
  const DeviceSpec still = without_fan_steps();
  Host with(chassis_of("h100-sxm", 1, 38));
  Host without(chassis_with(still, 38));
  for (Host* host : {&with, &without}) host->run(start, 0, training);
  const Instant warm = start + minutes(10);
  for (Host* host : {&with, &without}) host->advance(warm);
  EXPECT_LT(with.read(warm, Metric::temperature), without.read(warm, Metric::temperature) - 1);
  EXPECT_EQ(with.chassis.next_event(), never) << "they have found their speed";

  with.run(warm, 0, waiting);
  const Instant cool = warm + minutes(10);
  with.advance(cool);
  EXPECT_EQ(with.chassis.next_event(), never) << "the fans are back at their normal speed";
}

TEST(Fans, ThatStopLetTheDeviceWarmUp) {
  Host host(chassis_of("h100-sxm", 2, 22));
  host.run(start, 0, training);
  host.advance(start + minutes(10));
  const Instant broken = start + minutes(10);
  const double before_c = host.read(broken, Metric::temperature);
  host.chassis.set_airflow(broken, 0.5);
  EXPECT_DOUBLE_EQ(host.read(broken, Metric::temperature), before_c) << "nothing jumps";
  const Instant later = broken + minutes(10);
  host.advance(later);
  EXPECT_GT(host.read(later, Metric::temperature), before_c + 8);
  host.chassis.set_airflow(later, 1);
  host.advance(later + minutes(10));
  EXPECT_NEAR(host.read(later + minutes(10), Metric::temperature), before_c, 0.5);
}

// An H800 log of zeros in tf32: die 51 C and memory 61 C at the end of 14 s at 550 W from 33 C.
TEST(Memory, IsWarmerThanTheDieUnderLoadAsOnAnH800) {
  Host host(chassis_of("h100-sxm", 1, 26));
  host.run(start, 0, activity(0.35, 0.3));
  const Instant now = start + seconds(14);
  host.advance(now);
  const double die_c = host.read(now, Metric::temperature);
  const double memory_c = host.read(now, Metric::memory_temperature);
  EXPECT_NEAR(memory_c - die_c, 8, 3);
}

TEST(Memory, ThatIsTooHotSlowsTheClock) {
  DeviceSpec spec = without_fan_steps();
  spec.thermal.memory.offset_k = 40;
  Host host(Chassis({&spec}, Ambient{22, 0}, RandomStream(1), start));
  host.run(start, 0, training);
  const Instant now = start + minutes(10);
  host.advance(now);
  EXPECT_LT(host.read(now, Metric::temperature), spec.thermal.max_c - 3);
  EXPECT_TRUE(host.bits(now) & throttle_sw_thermal_slowdown);
  EXPECT_NEAR(host.read(now, Metric::memory_temperature), spec.thermal.memory_max_c - 1.5, 2.5);
}

// NVML counts violations in ns: power, thermal, board limit.
TEST(ThrottleTimes, CountTheTimeUnderEachReasonExactly) {
  Host host(chassis_of("h100-sxm", 1));
  const auto at = [&](Duration since, Metric cause) { return host.read(start + since, cause); };
  host.run(start, 0, decoding);
  for (const Metric cause :
       {Metric::power_violation, Metric::thermal_violation, Metric::board_limit_violation}) {
    EXPECT_EQ(at(seconds(5), cause), 0);
  }

  host.run(start + seconds(5), 0, training);
  ASSERT_TRUE(host.bits(start + seconds(5)) & throttle_sw_power_cap);
  EXPECT_EQ(at(milliseconds(7500), Metric::power_violation), 2.5);
  host.run(start + seconds(9), 0, waiting);
  EXPECT_EQ(at(seconds(20), Metric::power_violation), 4);

  host.chassis.set_clock_limit(start + seconds(20), 0, 0.5);
  host.chassis.set_clock_limit(start + seconds(23), 0, 1);
  EXPECT_EQ(at(seconds(60), Metric::board_limit_violation), 3);
  EXPECT_EQ(at(seconds(60), Metric::power_violation), 4);
  EXPECT_EQ(at(seconds(60), Metric::thermal_violation), 0);
}

TEST(ThrottleTimes, ForThermalThrottlingEqualTheTimeItsBitsAreSet) {
  Host watched(chassis_of("h100-sxm", 4, 60)), calm(chassis_of("h100-sxm", 4, 60));
  for (Host* host : {&watched, &calm}) host->run(start, 0, training);
  Duration seen{};
  Instant now = start;
  for (int i = 0; i < 3000; ++i) {
    const bool hot = watched.bits(now) & throttle_sw_thermal_slowdown;
    now += control_period;
    watched.advance(now);
    if (hot) seen += control_period;
  }
  calm.advance(now);
  EXPECT_GT(seen, seconds(20));
  EXPECT_EQ(watched.read(now, Metric::thermal_violation), to_seconds(seen));
  for (const Metric cause :
       {Metric::power_violation, Metric::thermal_violation, Metric::board_limit_violation}) {
    EXPECT_EQ(calm.read(now, cause), watched.read(now, cause));
  }
}

}  // namespace
}  // namespace drover::devices
