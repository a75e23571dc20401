// The power limiter of a board: whatever runs, however short, the clock fits under the cap.
#include <chrono>

#include <gtest/gtest.h>

#include "devices/board/chassis.h"
#include "tests/devices/board/chassis_host.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(PowerLimit, HoldsThePowerCapAndSlowsComputingDown) {
  Host host(chassis_of("h100-sxm", 1));
  host.run(start, 0, training);
  host.advance(start + seconds(2));
  const double free_pace = host.chassis.pace(0);
  host.chassis.set_power_cap(start + seconds(2), 0, 400);
  host.advance(start + seconds(10));
  const Instant now = start + seconds(10);
  EXPECT_LE(host.read(now, Metric::power), 400);
  EXPECT_GE(host.read(now, Metric::power), 400 * 0.88);  // steps, not a continuum
  EXPECT_LT(host.chassis.pace(0), free_pace - 0.1);
  EXPECT_TRUE(host.bits(now) & throttle_sw_power_cap);
  EXPECT_LT(host.read(now, Metric::clock), device_named("h100-sxm").clock.nominal_mhz * 0.9);
  EXPECT_EQ(host.chassis.next_event(), never) << "a settled clock has nothing to come";
}

// Phases of a few milliseconds, as chunks of prompts between decode steps: the clock of one phase
// never stands in the next.
TEST(PowerLimit, PowerNeverExceedsTheCapHoweverShortThePhases) {
  for (const char* device : {"h100-sxm", "a100-sxm-80gb", "l4", "tpu-v5e", "tpu-v5p"}) {
    const DeviceSpec& spec = device_named(device);
    Host host(chassis_of(device, 4));
    RandomStream random(17);
    Instant now = start;
    int limited = 0;
    for (int round = 0; round < 4000; ++round) {
      const std::size_t at = random.below(4);
      if (random.chance(0.02)) {
        host.chassis.set_power_cap(now, at, random.uniform(0.75, 1) * spec.power.tdp_w);
      }
      const Activity busy = activity(random.uniform(0, 0.8), random.uniform(0, 0.5));
      host.run(now, at, random.chance(0.3) ? waiting : busy);
      const double cap_w = host.chassis.power_cap_w(at);
      ASSERT_LE(host.read(now, Metric::power, at), cap_w) << device << " round " << round;
      if (host.bits(now, at) & throttle_sw_power_cap) {
        ++limited;
        // True of this phase: one clock step more would break the cap.
        ASSERT_GE(host.read(now, Metric::power, at), cap_w * 0.85) << device << " round " << round;
      }
      now += milliseconds(1 + random.below(30));
      host.advance(now);
      ASSERT_LE(host.read(now, Metric::power, at), cap_w) << device << " round " << round;
    }
    // A TPU takes no lower cap than what it is made for, which this work rarely reaches.
    if (!spec.takes_power_cap()) continue;
    EXPECT_GT(limited, 100) << device << " met its cap too seldom to tell";
  }
}

TEST(PowerLimit, TheClockDoesNotDependOnWhatRanBefore) {
  Host first(chassis_of("h100-sxm", 1)), second(chassis_of("h100-sxm", 1));
  Instant now = start;
  for (int round = 0; round < 50; ++round) {
    first.run(now, 0, decoding);
    second.run(now, 0, round % 2 == 0 ? activity(0.8, 0.3) : waiting);
    now += milliseconds(7);
    for (Host* host : {&first, &second}) host->run(now, 0, training);
    EXPECT_EQ(first.chassis.pace(0), second.chassis.pace(0));
    EXPECT_LT(first.chassis.pace(0), 1);
    for (Host* host : {&first, &second}) host->run(now, 0, decoding);
    EXPECT_EQ(first.bits(now), 0u) << "decoding is far below the cap";
    EXPECT_EQ(first.chassis.pace(0), second.chassis.pace(0));
    now += milliseconds(7);
  }
}

TEST(PowerLimit, TheClockOnlyFallsWhenItMayNotRise) {
  Chassis chassis = chassis_of("h100-sxm", 1);
  EXPECT_TRUE(chassis.set_activity(start, 0, training));
  const double limited = chassis.pace(0);
  EXPECT_FALSE(chassis.set_activity(start, 0, decoding, false));
  EXPECT_EQ(chassis.pace(0), limited);
  EXPECT_TRUE(chassis.set_activity(start, 0, activity(0.8, 0.5), false));
  EXPECT_LT(chassis.pace(0), limited);
}

TEST(PowerLimit, DecodingNeedsNoControlUnderTheFullCap) {
  Host host(chassis_of("h100-sxm", 8));
  for (std::size_t i = 0; i < 8; ++i) host.run(start, i, decoding);
  EXPECT_EQ(host.chassis.next_event(), never);
}

TEST(PowerLimit, TheClockRecoversWhenTheCapIsLifted) {
  Host host(chassis_of("h100-sxm", 1));
  host.chassis.set_power_cap(start, 0, 300);
  host.run(start, 0, training);
  host.advance(start + seconds(5));
  const double capped = host.chassis.pace(0);
  host.chassis.set_power_cap(start + seconds(5), 0, 700);
  host.advance(start + seconds(20));
  EXPECT_GT(host.chassis.pace(0), capped + 0.2);
}

TEST(PowerLimit, KeepsACapWithinWhatTheBoardAllows) {
  Chassis chassis = chassis_of("h100-sxm", 1);
  chassis.set_power_cap(start, 0, 10);
  EXPECT_EQ(chassis.power_cap_w(0), 200);
  chassis.set_power_cap(start, 0, 5000);
  EXPECT_EQ(chassis.power_cap_w(0), 700);
}

}  // namespace
}  // namespace drover::devices
