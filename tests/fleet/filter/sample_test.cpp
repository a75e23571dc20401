#include "fleet/filter/device.h"

#include <variant>

#include <gtest/gtest.h>

namespace drover::filter {
namespace {

/// A device of which nothing but its last sample is known.
struct Sampled : FilterSubject {
  Sample sample;
  double number(Field field) const override {
    return sampled(field, [&](Metric metric) { return sample[metric]; });
  }
  void texts(Field field, TextMatcher& test) const override {
    if (field == Field::throttle) show_throttle_reasons(sample[Metric::throttle], test);
  }
};

bool filter_matches(std::string_view text, const FilterSubject& thing) {
  return std::get<Filter>(Filter::parse(text)).matches(thing);
}

TEST(FilterOfSamples, ReadsEachMetricUnderItsField) {
  const struct {
    Metric metric;
    double value;
    const char* text;
  } cases[] = {{Metric::utilization, 0.4, "util==40%"},
               {Metric::tensor_activity, 0.4, "tensor==40%"},
               {Metric::memory_activity, 0.4, "membw==40%"},
               {Metric::memory_used, 4e9, "memory==4GB"},
               {Metric::power, 350, "power==350W"},
               {Metric::temperature, 70, "temp==70C"},
               {Metric::memory_temperature, 80, "memtemp==80"},
               {Metric::clock, 1410, "clock==1.41GHz"},
               {Metric::queue, 3, "queue==3"},
               {Metric::running, 2, "running==2"},
               {Metric::energy, 5000, "energy==5kJ"}};
  for (const auto& row : cases) {
    Sampled device;
    EXPECT_FALSE(filter_matches(row.text, device)) << row.text;
    device.sample[row.metric] = row.value;
    EXPECT_TRUE(filter_matches(row.text, device)) << row.text;
  }
}

TEST(FilterOfSamples, SharesAreOfTheReportedTotal) {
  Sampled device;
  device.sample[Metric::memory_used] = 8e9;
  EXPECT_TRUE(filter_matches("mem==none", device));
  device.sample[Metric::memory_total] = 10e9;
  EXPECT_TRUE(filter_matches("mem==80%", device));
}

TEST(FilterOfSamples, NamesTheThrottleReasons) {
  const struct {
    double bits;
    const char* holds;
    const char* fails;
  } cases[] = {
      {0, "throttle==no", "throttle==none | throttle!=no"},
      {throttle_gpu_idle, "throttle==no", "throttle==power"},
      {throttle_sw_power_cap, "throttle==power", "throttle==no | throttle==other"},
      {throttle_sw_power_cap | throttle_sw_thermal_slowdown, "throttle==power & throttle==thermal",
       "throttle==\"hw thermal\""},
      {throttle_hw_slowdown | throttle_hw_thermal_slowdown, "throttle==\"hw thermal\"",
       "throttle==hw | throttle==thermal"},
      {throttle_hw_slowdown, "throttle==hw", "throttle~thermal"},
      {throttle_hw_power_brake, "throttle==hw", "throttle==other"},
      {0x200, "throttle==other", "throttle==no"},
  };
  for (const auto& row : cases) {
    Sampled device;
    EXPECT_TRUE(filter_matches("throttle==none", device));
    device.sample[Metric::throttle] = row.bits;
    EXPECT_TRUE(filter_matches(row.holds, device)) << row.bits;
    EXPECT_FALSE(filter_matches(row.fails, device)) << row.bits;
  }
}

}  // namespace
}  // namespace drover::filter
