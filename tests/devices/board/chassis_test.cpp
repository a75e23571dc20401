// The chassis: energy, determinism, clock control under heat, neighbours, variation.
#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "devices/board/chassis.h"
#include "tests/devices/board/chassis_host.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::uint64_t> image(const Chassis& chassis, Instant now) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < chassis.size(); ++i) {
    for (const double value : chassis.reading(now, i).values) {
      result.push_back(std::bit_cast<std::uint64_t>(value));
    }
    result.push_back(std::bit_cast<std::uint64_t>(chassis.pace(i)));
  }
  result.push_back(static_cast<std::uint64_t>(chassis.next_event().time_since_epoch().count()));
  return result;
}

TEST(Chassis, StartsIdleWithNoPendingEvent) {
  const Host host(chassis_of("h100-sxm", 8));
  EXPECT_EQ(host.chassis.next_event(), never);
  EXPECT_NEAR(host.read(start, Metric::power), 71.8, 10);
  EXPECT_EQ(host.read(start, Metric::utilization), 0);
  EXPECT_EQ(host.read(start, Metric::energy), 0);
  EXPECT_EQ(host.bits(start), throttle_gpu_idle);
  EXPECT_DOUBLE_EQ(host.read(start, Metric::memory_total), 80 * 1073741824.0);
  EXPECT_TRUE(std::isnan(host.read(start, Metric::queue)));
  EXPECT_TRUE(std::isnan(host.read(start, Metric::running)));
}

TEST(Chassis, ReportsWhatRuns) {
  Host host(chassis_of("h100-sxm", 1));
  host.chassis.set_activity(start, 0, decoding);
  EXPECT_EQ(host.read(start, Metric::utilization), 1);
  EXPECT_EQ(host.read(start, Metric::memory_activity), 0.65);
  EXPECT_EQ(host.read(start, Metric::tensor_activity), 0.02);
  EXPECT_EQ(host.read(start, Metric::memory_used), 20e9);
  EXPECT_EQ(host.bits(start), 0u);
  EXPECT_EQ(host.read(start, Metric::clock), device_named("h100-sxm").clock.nominal_mhz);
}

TEST(Chassis, EnergyIsTheIntegralOfPower) {
  Host host(chassis_of("h100-sxm", 4));
  double summed_j = 0;
  Instant now = start;
  RandomStream random(5);
  for (int round = 0; round < 200; ++round) {
    host.run(now, 0, round % 3 == 0 ? waiting : round % 3 == 1 ? decoding : training);
    const Instant until = now + milliseconds(20 + random.below(900));
    while (now < until) {
      const Instant next = std::min(until, host.chassis.next_event());
      summed_j += host.read(now, Metric::power) * to_seconds(next - now);
      now = next;
      host.advance(now);
    }
  }
  EXPECT_NEAR(host.chassis.energy_j(now, 0) / summed_j, 1, 1e-9);
}

TEST(Chassis, OneAdvanceOrManyGiveTheSameBits) {
  const auto play = [](Duration piece) {
    Chassis chassis = chassis_of("h100-sxm", 8, 46);
    RandomStream random(9);
    Instant now = start;
    for (int round = 0; round < 60; ++round) {
      const std::size_t device = random.below(8);
      chassis.set_activity(now, device, round % 4 == 0 ? decoding : training);
      if (round == 30) chassis.set_power_cap(now, 3, 350);
      if (round == 40) chassis.set_inlet(now, 30);
      const Instant until = now + milliseconds(1 + random.below(20'000));
      while (piece > Duration(0) && now + piece < until) {
        now += piece;
        chassis.advance(now);
        (void)chassis.reading(now, 0);
      }
      now = until;
      chassis.advance(now);
    }
    return image(chassis, now);
  };
  const std::vector<std::uint64_t> whole = play(Duration(0));
  EXPECT_EQ(play(milliseconds(37)), whole);
  EXPECT_EQ(play(seconds(3)), whole);
}

TEST(Chassis, ReadingChangesNothing) {
  Chassis asked = chassis_of("a100-sxm-80gb", 4, 40), left = chassis_of("a100-sxm-80gb", 4, 40);
  for (Chassis* chassis : {&asked, &left}) chassis->set_activity(start, 1, training);
  Instant now = start;
  for (int i = 0; i < 500; ++i) {
    now += milliseconds(77);
    asked.advance(now);
    const Sample first = asked.reading(now, 1), second = asked.reading(now, 1);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(first[Metric::temperature]),
              std::bit_cast<std::uint64_t>(second[Metric::temperature]));
  }
  left.advance(now);
  EXPECT_EQ(image(asked, now), image(left, now));
}

TEST(Chassis, ThrottlesWithHotAirAndRecoversWithHysteresis) {
  Host host(chassis_of("h100-sxm", 1, 48));
  host.run(start, 0, training);
  host.advance(start + std::chrono::minutes(10));
  Instant now = start + std::chrono::minutes(10);
  const double limit_c = device_named("h100-sxm").thermal.max_c;
  EXPECT_TRUE(host.bits(now) & throttle_sw_thermal_slowdown);
  EXPECT_NEAR(host.read(now, Metric::temperature), limit_c - 1.5, 2.5);
  const double hot_pace = host.chassis.pace(0);
  EXPECT_LT(hot_pace, 0.93);

  host.chassis.set_inlet(now, 20);
  // Not yet cool enough: nothing moves at once.
  host.advance(now + milliseconds(200));
  EXPECT_TRUE(host.bits(now + milliseconds(200)) & throttle_sw_thermal_slowdown);
  now += std::chrono::minutes(10);
  host.advance(now);
  EXPECT_FALSE(host.bits(now) & throttle_sw_thermal_slowdown);
  EXPECT_GT(host.chassis.pace(0), hot_pace);
  EXPECT_EQ(host.chassis.next_event(), never);
}

TEST(Chassis, HalvesTheClockAtTheSlowdownTemperatureAndShutsDownAboveIt) {
  // Heat that outruns the one step a second of the software limit.
  DeviceSpec spec = device_named("h100-sxm");
  spec.thermal.cooling.die_k_per_w = 0.09;
  spec.thermal.cooling.die_s = 1;
  Host host(Chassis({&spec}, Ambient{40, 0}, RandomStream(1), start));
  host.run(start, 0, training);
  bool slowed = false;
  Instant now = start;
  double slowest = 1;
  for (int i = 0; i < 100 && !host.chassis.shut_down(0); ++i) {
    now += milliseconds(100);
    host.advance(now);
    slowed = slowed || (host.bits(now) & throttle_hw_slowdown);
    if (!host.chassis.shut_down(0)) slowest = std::min(slowest, host.chassis.pace(0));
  }
  EXPECT_TRUE(slowed);
  EXPECT_LT(slowest, 0.55);

  spec.thermal.cooling.sink_k_per_w = 0.5;
  Host oven(Chassis({&spec}, Ambient{60, 0}, RandomStream(1), start));
  oven.run(start, 0, training);
  oven.advance(start + std::chrono::minutes(5));
  now = start + std::chrono::minutes(5);
  ASSERT_TRUE(oven.chassis.shut_down(0));
  EXPECT_EQ(oven.chassis.pace(0), 0);
  EXPECT_EQ(oven.read(now, Metric::power), 0);
  EXPECT_EQ(oven.read(now, Metric::clock), 0);
  EXPECT_EQ(oven.chassis.next_event(), never);
  const double energy_j = oven.chassis.energy_j(now, 0);
  oven.run(now, 0, training);
  EXPECT_EQ(oven.chassis.energy_j(now + seconds(60), 0), energy_j);
}

TEST(Chassis, ReportsEveryChangeOfSpeed) {
  Chassis chassis = chassis_of("h100-sxm", 4, 54);
  for (std::size_t i = 0; i < 4; ++i) chassis.set_activity(start, i, training);
  std::vector<double> known(4);
  for (std::size_t i = 0; i < 4; ++i) known[i] = chassis.pace(i);
  Instant now = start;
  int changes = 0;
  for (int step = 0; step < 3000; ++step) {
    now += milliseconds(100);
    if (step % 100 == 50) {
      const double before = chassis.pace(2);
      const bool changed = chassis.set_activity(now, 2, step % 200 == 50 ? waiting : training);
      EXPECT_EQ(changed, chassis.pace(2) != before) << step;
      known[2] = chassis.pace(2);
    }
    for (const std::size_t device : chassis.advance(now)) {
      known[device] = chassis.pace(device);
      ++changes;
    }
    for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(chassis.pace(i), known[i]) << step;
  }
  EXPECT_GT(changes, 10);
}

TEST(Chassis, NeighboursUpstreamWarmTheAir) {
  Host alone(chassis_of("h100-sxm", 4)), among(chassis_of("h100-sxm", 4));
  alone.run(start, 3, decoding);
  for (std::size_t i = 0; i < 4; ++i) among.run(start, i, decoding);
  const Instant now = start + std::chrono::minutes(20);
  alone.advance(now);
  among.advance(now);
  const double warmer_k =
      among.read(now, Metric::temperature, 3) - alone.read(now, Metric::temperature, 3);
  EXPECT_GT(warmer_k, 1);
  EXPECT_LT(warmer_k, 5);
  // The first in the air path feels nobody.
  Host first(chassis_of("h100-sxm", 4));
  first.run(start, 0, decoding);
  first.advance(now);
  EXPECT_NEAR(first.read(now, Metric::temperature, 0), among.read(now, Metric::temperature, 0),
              1e-6);
}

TEST(Chassis, AnExtraDeviceDoesNotChangeTheOthers) {
  const Chassis three = chassis_of("h100-sxm", 3), four = chassis_of("h100-sxm", 4);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(three.pace(i), four.pace(i));
    EXPECT_EQ(three.reading(start, i).values[static_cast<std::size_t>(Metric::power)],
              four.reading(start, i).values[static_cast<std::size_t>(Metric::power)]);
  }
  EXPECT_NE(four.pace(0), four.pace(1));
}

TEST(Variation, IsSmallAndCentred) {
  double speed = 0, leakage = 0, cooling = 0;
  const int count = 4000;
  const RandomStream random(42);
  for (int i = 0; i < count; ++i) {
    const Variation variation = draw_variation(random.child(static_cast<std::uint64_t>(i)));
    EXPECT_NEAR(variation.speed, 1, 0.05);
    EXPECT_NEAR(variation.leakage, 1, 0.12);
    EXPECT_NEAR(variation.cooling, 1, 0.18);
    speed += variation.speed / count;
    leakage += variation.leakage / count;
    cooling += variation.cooling / count;
  }
  EXPECT_NEAR(speed, 1, 0.002);
  EXPECT_NEAR(leakage, 1, 0.004);
  EXPECT_NEAR(cooling, 1, 0.006);
}

// AcmeTrace: A100 at 400 W runs near 58 C in a cooled hall; 27 C when idle.
TEST(Chassis, MatchesTheTemperaturesThatFleetsReport) {
  Host host(chassis_of("a100-sxm-80gb", 1, 21));
  host.run(start, 0, training);
  const Instant now = start + std::chrono::minutes(20);
  host.advance(now);
  EXPECT_NEAR(host.read(now, Metric::temperature), 58, 8);
  const Host idle(chassis_of("a100-sxm-80gb", 1, 21));
  EXPECT_NEAR(idle.read(start, Metric::temperature), 27, 3);
}

}  // namespace
}  // namespace drover::devices
