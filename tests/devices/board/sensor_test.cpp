// What boards publish of themselves, against what is true.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "devices/board/sensor.h"
#include "tests/devices/board/chassis_host.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Means = SampledMeans<1>;

/// Stretches of constant rate, one after the other.
struct Course {
  std::vector<std::pair<Instant, double>> from;  // and the rate from then on

  double integral(Instant begin, Instant end) const {
    double sum = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Instant until = i + 1 < from.size() ? from[i + 1].first : end;
      const Duration common = std::min(until, end) - std::max(from[i].first, begin);
      if (common.count() > 0) sum += from[i].second * to_seconds(common);
    }
    return sum;
  }
};

Course drawn_course(RandomStream& random, Instant begin, int stretches, std::uint64_t longest_ms) {
  Course course;
  for (int i = 0; i < stretches; ++i) {
    course.from.emplace_back(begin, random.uniform(50, 700));
    begin += milliseconds(1 + random.below(longest_ms));
  }
  return course;
}

TEST(SampledMeans, AverageOnlyTheSampledPartsOfThePeriods) {
  RandomStream random(3);
  for (int round = 0; round < 20; ++round) {
    const Duration every = milliseconds(20 + random.below(300));
    const Means::Timing timing{every, every / (1 + static_cast<int>(random.below(4))),
                               every / (1 + static_cast<int>(random.below(7))),
                               1 + static_cast<std::int64_t>(random.below(12))};
    Means means(timing);
    const Course course = drawn_course(random, start, 200, round % 2 == 0 ? 30 : 3000);
    for (std::size_t i = 0; i + 1 < course.from.size(); ++i) {
      const auto [from, rate] = course.from[i];
      const Instant until = course.from[i + 1].first;
      const Instant now = from + (until - from) / 3;
      const double published = means.mean(now, from, {rate})[0];
      const std::int64_t open = (now.time_since_epoch() - timing.phase) / every;
      double expected = 0;
      for (std::int64_t period = open - timing.count; period < open; ++period) {
        const Instant end{timing.phase + every * (period + 1)};
        expected += course.integral(end - timing.part, end);
      }
      expected /= to_seconds(timing.part) * static_cast<double>(timing.count);
      if (now - start > every * (timing.count + 2)) {
        ASSERT_NEAR(published, expected, 1e-6);
      }
      means.enter(from, until, {rate});
    }
  }
}

TEST(SampledMeans, LoseNoEnergyWhenEverythingIsSampled) {
  RandomStream random(8);
  const Duration every = milliseconds(100);
  Means means({every, every, milliseconds(37), 1});
  const Course course = drawn_course(random, start, 2000, 250);
  const Instant begin{std::chrono::ceil<seconds>(start.time_since_epoch()) + milliseconds(37)};
  const Instant end = course.from.back().first;
  double published_j = 0;
  std::size_t at = 0;
  Instant last{};
  for (Instant now = begin + every; now < end; now += every) {
    while (course.from[at + 1].first <= now) {
      means.enter(course.from[at].first, course.from[at + 1].first, {course.from[at].second});
      ++at;
    }
    published_j += means.mean(now, course.from[at].first, {course.from[at].second})[0] * 0.1;
    last = now;
  }
  EXPECT_NEAR(published_j / course.integral(begin, last), 1, 1e-9);
}

TEST(SampledMeans, AreNotChangedByReadingThem) {
  Means asked({milliseconds(100), milliseconds(25), milliseconds(11), 10}), left = asked;
  RandomStream random(5);
  const Course course = drawn_course(random, start, 300, 90);
  for (std::size_t i = 0; i + 1 < course.from.size(); ++i) {
    const auto [from, rate] = course.from[i];
    const Instant until = course.from[i + 1].first;
    for (int k = 0; k < 5; ++k) (void)asked.mean(from + (until - from) * k / 5, from, {rate});
    asked.enter(from, until, {rate});
    left.enter(from, until, {rate});
    EXPECT_EQ(std::bit_cast<std::uint64_t>(asked.mean(until, until, {1})[0]),
              std::bit_cast<std::uint64_t>(left.mean(until, until, {1})[0]));
  }
}

double published(const Host& host, Instant now, Metric metric) {
  return host.chassis.published(now, 0)[metric];
}

// After a load step, power.draw.average of an H100 climbs for a second: in a log of an H100 PCIe
// it shows 92, 145, 233 and 269 W after 0, 0.3, 0.8 and 1.1 s of a step from 76 to 270 W.
TEST(Sensor, PowerOfAnH100ClimbsForASecond) {
  Host host(chassis_of("h100-sxm", 1));
  const double before_w = host.read(start, Metric::power);
  host.run(start, 0, training);
  const double after_w = host.read(start, Metric::power);
  const auto share = [&](Duration since) {
    return (published(host, start + since, Metric::power) - before_w) / (after_w - before_w);
  };
  EXPECT_NEAR(share(milliseconds(0)), 0, 1e-3);
  EXPECT_NEAR(share(milliseconds(300)), 0.3, 0.11);
  EXPECT_NEAR(share(milliseconds(800)), 0.8, 0.11);
  EXPECT_NEAR(share(milliseconds(1100)), 1, 1e-3);
}

// Only the last quarter of each tenth of a second counts on an A100.
TEST(Sensor, AnA100DoesNotSeeWhatRunsBetweenItsSamples) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  const double step_s = a100.sensor.power_refresh_s, seen_s = step_s * a100.sensor.power_sampled;
  Sensor sensor(a100, 0);
  const Sensor::Truth quiet{100, true, 1, 0, 0}, loud{400, true, 1, 1, 0};
  Instant now{seconds(1'000'000)};
  for (int i = 0; i < 50; ++i) {
    const Instant middle = now + from_seconds(step_s - seen_s);
    sensor.enter(now, middle, loud);
    sensor.enter(middle, now + from_seconds(step_s), quiet);
    now += from_seconds(step_s);
  }
  EXPECT_NEAR(sensor.published(now, now, quiet, Sample{})[Metric::power], 100, 0.1);
}

// nvidia-smi shows the heat of memory on A100 and H100 and N/A on boards without such a sensor, as
// L4, and counts violations on all of them; a TPU's driver tells neither.
TEST(Sensor, ReportsMemoryTemperatureAndViolationsWhereTheBoardDoes) {
  struct Board {
    const char* device;
    bool memory, violations;
  };
  for (const Board& it : {Board{"h100-sxm", true, true}, Board{"a100-sxm-40gb", true, true},
                          Board{"l4", false, true}, Board{"tpu-v5e", false, false}}) {
    Host host(chassis_of(it.device, 1));
    host.run(start, 0, training);
    const Instant now = start + seconds(30);
    host.advance(now);
    const double memory_c = published(host, now, Metric::memory_temperature);
    EXPECT_EQ(!std::isnan(memory_c), it.memory) << it.device;
    if (it.memory) {
      EXPECT_EQ(memory_c, std::nearbyint(memory_c)) << "whole degrees";
    }
    for (const Metric counter :
         {Metric::power_violation, Metric::thermal_violation, Metric::board_limit_violation}) {
      EXPECT_EQ(!std::isnan(published(host, now, counter)), it.violations) << it.device;
    }
  }
}

TEST(Sensor, CountsTheSecondsUnderThePowerCap) {
  Host host(chassis_of("h100-sxm", 1));
  host.run(start, 0, training);
  ASSERT_TRUE(host.bits(start) & throttle_sw_power_cap);
  EXPECT_EQ(published(host, start + milliseconds(2500), Metric::power_violation), 2.5);
  EXPECT_EQ(published(host, start + milliseconds(2500), Metric::thermal_violation), 0);
}

TEST(Sensor, UtilizationLagsAndSaturates) {
  Host host(chassis_of("h100-sxm", 1));
  Activity little = activity(0.01, 0.01, 0.2);
  host.run(start, 0, little);
  EXPECT_EQ(published(host, start + milliseconds(1), Metric::utilization), 0);
  EXPECT_EQ(published(host, start + seconds(2), Metric::utilization), 1) << "any kernel counts";
  EXPECT_EQ(host.read(start + seconds(2), Metric::utilization), 0.2) << "the truth";
  host.run(start + seconds(2), 0, waiting);
  EXPECT_EQ(published(host, start + milliseconds(2001), Metric::utilization), 1);
  EXPECT_EQ(published(host, start + seconds(4), Metric::utilization), 0);
}

TEST(Sensor, ValuesAreQuantized) {
  Host host(chassis_of("h100-sxm", 1));
  host.run(start, 0, training);
  for (int i = 0; i < 200; ++i) {
    const Instant now = start + milliseconds(173) * i;
    host.advance(now);
    const auto whole = [&](Metric metric, double step) {
      const double steps = published(host, now, metric) / step;
      return std::abs(steps - std::nearbyint(steps)) < 1e-6;
    };
    EXPECT_TRUE(whole(Metric::temperature, 1));
    EXPECT_TRUE(whole(Metric::clock, 15));
    EXPECT_TRUE(whole(Metric::power, 0.01));
    EXPECT_TRUE(whole(Metric::utilization, 0.01));
    EXPECT_NEAR(published(host, now, Metric::temperature), host.read(now, Metric::temperature),
                0.5 + 1e-9);
    EXPECT_EQ(published(host, now, Metric::energy), host.read(now, Metric::energy));
  }
}

TEST(Sensor, IsExactWithoutASensorSection) {
  DeviceSpec spec = device_named("h100-sxm");
  spec.sensor.power_refresh_s = spec.sensor.activity_s = spec.sensor.power_step_w = 0;
  spec.sensor.temperature_step_c = spec.sensor.clock_step_mhz = 0;
  Host host(Chassis({&spec}, Ambient{}, RandomStream(1), start));
  for (int i = 0; i < 50; ++i) {
    const Instant now = start + milliseconds(70) * i;
    host.run(now, 0, i % 2 == 0 ? training : decoding);
    EXPECT_EQ(host.chassis.published(now, 0).values[5], host.chassis.reading(now, 0).values[5]);
    EXPECT_EQ(published(host, now, Metric::temperature), host.read(now, Metric::temperature));
    EXPECT_EQ(published(host, now, Metric::utilization), host.read(now, Metric::utilization));
  }
}

TEST(Sensor, NeverReadsAboveTheHighestTrueValue) {
  Host host(chassis_of("h100-sxm", 1));
  host.chassis.set_power_cap(start, 0, 400);
  RandomStream random(4);
  Instant now = start;
  for (int round = 0; round < 500; ++round) {
    host.run(now, 0, random.chance(0.5) ? training : decoding);
    now += milliseconds(1 + random.below(200));
    host.advance(now);
    EXPECT_LE(published(host, now, Metric::power), 400 + 0.005);
  }
}

}  // namespace
}  // namespace drover::devices
