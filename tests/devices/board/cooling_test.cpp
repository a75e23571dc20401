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

TEST(Fans, StayAtTheirUsualAirWhileTheDieIsCool) {
  Host host(chassis_of("h100-sxm", 1, 20));
  host.run(start, 0, training);
  host.advance(start + minutes(10));
  EXPECT_EQ(host.chassis.fan_steps(0), 0);
}

TEST(Fans, CoolADeviceThatNearsItsLimitAndLetGoWithoutFlutter) {
  DeviceSpec still = device_named("h100-sxm");
  still.fan_steps = 0;
  Host with(chassis_of("h100-sxm", 1, 38));
  Host without(Chassis({&still}, Ambient{38, 0.002}, RandomStream(1).child("host"), start));
  for (Host* host : {&with, &without}) host->run(start, 0, training);
  const Instant warm = start + minutes(10);
  for (Host* host : {&with, &without}) host->advance(warm);
  EXPECT_GT(with.chassis.fan_steps(0), 0);
  EXPECT_LT(with.read(warm, Metric::temperature), without.read(warm, Metric::temperature) - 1);
  EXPECT_EQ(with.chassis.next_event(), never) << "they have found their speed";

  with.run(warm, 0, waiting);
  const Instant cool = warm + minutes(10);
  with.advance(cool);
  EXPECT_EQ(with.chassis.fan_steps(0), 0);
  EXPECT_EQ(with.chassis.next_event(), never);
}

TEST(Fans, ThatStandStillLetTheDeviceWarmUp) {
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
TEST(Memory, IsWarmerThanTheDieAsAnH800ShowsUnderLoad) {
  Host host(chassis_of("h100-sxm", 1, 26));
  host.run(start, 0, activity(0.35, 0.3));
  const Instant now = start + seconds(14);
  host.advance(now);
  const double die_c = host.read(now, Metric::temperature);
  const double memory_c = host.chassis.memory_temperature_c(now, 0);
  EXPECT_NEAR(memory_c - die_c, 8, 3);
}

TEST(Memory, ThatIsTooWarmSlowsTheClock) {
  DeviceSpec spec = device_named("h100-sxm");
  spec.fan_steps = 0;
  spec.memory_offset_k = 40;
  Host host(Chassis({&spec}, Ambient{22, 0}, RandomStream(1), start));
  host.run(start, 0, training);
  const Instant now = start + minutes(10);
  host.advance(now);
  EXPECT_LT(host.read(now, Metric::temperature), spec.temperature_max_c - 3);
  EXPECT_TRUE(host.bits(now) & throttle_sw_thermal_slowdown);
  EXPECT_NEAR(host.chassis.memory_temperature_c(now, 0), spec.memory_max_c - 1.5, 2.5);
}

// NVML counts violations in ns: power, thermal, board limit.
TEST(ThrottleTimes, CountTheTimeUnderEachReasonExactly) {
  Host host(chassis_of("h100-sxm", 1));
  const auto at = [&](Duration since) { return host.chassis.throttle_times(start + since, 0); };
  host.run(start, 0, decoding);
  EXPECT_EQ(at(seconds(5)), ThrottleTimes{});

  host.run(start + seconds(5), 0, training);
  ASSERT_TRUE(host.bits(start + seconds(5)) & throttle_sw_power_cap);
  EXPECT_EQ(at(milliseconds(7500)).power, milliseconds(2500));
  host.run(start + seconds(9), 0, waiting);
  EXPECT_EQ(at(seconds(20)).power, seconds(4));

  host.chassis.set_clock_limit(start + seconds(20), 0, 0.5);
  host.chassis.set_clock_limit(start + seconds(23), 0, 1);
  EXPECT_EQ(at(seconds(60)).board_limit, seconds(3));
  EXPECT_EQ(at(seconds(60)).power, seconds(4));
  EXPECT_EQ(at(seconds(60)).thermal, Duration(0));
}

TEST(ThrottleTimes, OfHeatAreTheTimeThatItsBitsShow) {
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
  EXPECT_EQ(watched.chassis.throttle_times(now, 0).thermal, seen);
  EXPECT_EQ(calm.chassis.throttle_times(now, 0), watched.chassis.throttle_times(now, 0));
}

}  // namespace
}  // namespace drover::devices
