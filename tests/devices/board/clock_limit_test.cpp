// A limit from outside on a board's clock, as a power brake sets it.
#include <chrono>

#include <gtest/gtest.h>

#include "devices/board/chassis.h"
#include "tests/devices/board/chassis_host.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* tested_devices[] = {"h100-sxm", "a100-sxm-80gb", "l4", "tpu-v5e", "tpu-v5p"};

TEST(ClockLimit, HoldsTheClockAndLowersThePower) {
  for (const char* device : tested_devices) {
    Host host(chassis_of(device, 1));
    host.run(start, 0, training);
    host.advance(start + seconds(5));
    const Instant now = start + seconds(5);
    const double free_w = host.read(now, Metric::power);
    EXPECT_TRUE(host.chassis.set_clock_limit(now, 0, 0.5)) << device;
    host.tell(now, 0);
    EXPECT_LE(host.read(now, Metric::clock), 0.5 * device_named(device).clock.nominal_mhz)
        << device;
    EXPECT_LT(host.read(now, Metric::power), free_w) << device;
    EXPECT_LE(host.chassis.pace(0), 0.5 * 1.05) << device << ": its own speed is within 5 %";
    EXPECT_TRUE(host.bits(now) & throttle_hw_slowdown) << device;
    EXPECT_FALSE(host.bits(now) & throttle_hw_thermal_slowdown) << device << ": it is not hot";
    EXPECT_FALSE(host.bits(now) & throttle_sw_power_cap)
        << device << ": the cap asks for more clock";
  }
}

TEST(ClockLimit, IsReleasedCompletelyAndAtOnce) {
  Host free(chassis_of("h100-sxm", 1)), limited(chassis_of("h100-sxm", 1));
  for (Host* host : {&free, &limited}) host->run(start, 0, training);
  limited.chassis.set_clock_limit(start + seconds(1), 0, 0.4);
  limited.tell(start + seconds(1), 0);
  limited.chassis.set_clock_limit(start + seconds(3), 0, 1);
  for (Host* host : {&free, &limited}) {
    host->tell(start + seconds(3), 0);
    host->run(start + seconds(3), 0, decoding);
  }
  const Instant now = start + seconds(4);
  EXPECT_EQ(limited.chassis.pace(0), free.chassis.pace(0));
  EXPECT_EQ(limited.bits(now), free.bits(now));
  EXPECT_EQ(limited.read(now, Metric::power), free.read(now, Metric::power));
}

TEST(ClockLimit, HoldsForAParkedDeviceToo) {
  Host host(chassis_of("h100-sxm", 1));
  host.chassis.set_clock_limit(start, 0, 0.1);
  EXPECT_LE(host.read(start, Metric::clock), 0.1 * device_named("h100-sxm").clock.nominal_mhz);
  EXPECT_TRUE(host.bits(start) & throttle_hw_slowdown);
  EXPECT_TRUE(host.bits(start) & throttle_gpu_idle);
}

TEST(ClockLimit, LeavesThePowerCapAThrottleReasonWhenTheCapIsStricter) {
  Host host(chassis_of("h100-sxm", 1));
  host.run(start, 0, training);
  host.chassis.set_power_cap(start, 0, 400);
  host.tell(start, 0);
  host.chassis.set_clock_limit(start, 0, 0.95);
  host.tell(start, 0);
  EXPECT_LE(host.read(start, Metric::power), 400);
  EXPECT_TRUE(host.bits(start) & throttle_sw_power_cap);
}

TEST(ClockLimit, EnergyUnderItDoesNotDependOnReadsOrAdvances) {
  Host calm(chassis_of("h100-sxm", 4, 34)), watched(chassis_of("h100-sxm", 4, 34));
  RandomStream random(5);
  Instant now = start;
  for (int round = 0; round < 400; ++round) {
    const std::size_t device = random.below(4);
    const double share = random.chance(0.5) ? 1 : random.uniform(0.1, 0.95);
    const Activity& what = random.chance(0.5) ? training : decoding;
    for (Host* host : {&calm, &watched}) {
      host->chassis.set_clock_limit(now, device, share);
      host->run(now, device, what);
    }
    const Instant next = now + milliseconds(1 + random.below(900));
    while (random.chance(0.6)) {
      now += Duration(
          static_cast<std::int64_t>(random.uniform() * static_cast<double>((next - now).count())));
      watched.advance(now);
      (void)watched.chassis.reading(now, device);
    }
    now = next;
    calm.advance(now);
    watched.advance(now);
    for (std::size_t each = 0; each < 4; ++each) {
      for (const Metric metric :
           {Metric::energy, Metric::power, Metric::temperature, Metric::clock, Metric::throttle}) {
        ASSERT_EQ(calm.read(now, metric, each), watched.read(now, metric, each)) << round;
      }
    }
  }
}

// Power is constant between the instants at which something is told or happens.
TEST(ClockLimit, EnergyIsTheIntegralOfPowerUnderIt) {
  Host host(chassis_of("h100-sxm", 2));
  host.run(start, 0, training);
  host.run(start, 1, decoding);
  double integral_j = 0;
  Instant now = start;
  for (int step = 0; step < 300; ++step) {
    if (step % 40 == 0) {
      host.chassis.set_clock_limit(now, 0, step % 80 == 0 ? 0.3 : 1);
      host.tell(now, 0);
    }
    Instant next = now + milliseconds(10);
    next = std::min(next, host.chassis.next_event());
    integral_j += host.read(now, Metric::power, 0) * to_seconds(next - now);
    host.advance(next);
    now = next;
  }
  EXPECT_NEAR(host.chassis.energy_j(now, 0), integral_j, 1e-6 * integral_j);
}

TEST(LinkShare, SlowsOnlyStepsThatUseTheLinks) {
  const ModelSpec& model = model_named("llama-3.1-8b");
  Placement whole{&device_named("h100-sxm"), 4, Precision::bf16}, slow = whole;
  slow.link_share = 0.1;
  EXPECT_GT(prefill_step(slow, model, 2048, 0, 1).seconds,
            1.2 * prefill_step(whole, model, 2048, 0, 1).seconds);
  EXPECT_GT(decode_step_time(slow, model, 64, 1).base_s,
            decode_step_time(whole, model, 64, 1).base_s);
  whole.devices = slow.devices = 1;
  EXPECT_EQ(decode_step_time(slow, model, 64, 1).base_s,
            decode_step_time(whole, model, 64, 1).base_s);
}

}  // namespace
}  // namespace drover::devices
