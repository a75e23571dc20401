#include "fleet/filter/filter_sample.h"

#include <variant>

#include <gtest/gtest.h>

namespace drover::filter {
namespace {

/// A device of which nothing but its last sample is known.
struct Sampled : Thing {
  Sample sample;
  double number(Field field) const override {
    return sampled(field, [&](Metric metric) { return sample[metric]; });
  }
  void texts(Field field, TextTest& test) const override {
    if (field == Field::slowed) show_slowed(sample[Metric::throttle], test);
  }
};

bool holds(std::string_view text, const Thing& thing) {
  return std::get<Filter>(Filter::parse(text)).matches(thing);
}

TEST(FilterOfSamples, ReadsEachMetricUnderItsField) {
  const struct {
    Metric metric;
    double value;
    const char* text;
  } cases[] = {{Metric::utilization, 0.4, "util==40%"},
               {Metric::matrix_activity, 0.4, "matrix==40%"},
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
    EXPECT_FALSE(holds(row.text, device)) << row.text;
    device.sample[row.metric] = row.value;
    EXPECT_TRUE(holds(row.text, device)) << row.text;
  }
}

TEST(FilterOfSamples, SharesAreOfWhatIsThere) {
  Sampled device;
  device.sample[Metric::memory_used] = 8e9;
  EXPECT_TRUE(holds("mem==none", device));
  device.sample[Metric::memory_total] = 10e9;
  EXPECT_TRUE(holds("mem==80%", device));
}

TEST(FilterOfSamples, NamesWhatHoldsTheClockDown) {
  const struct {
    double bits;
    const char* holds;
    const char* fails;
  } cases[] = {
      {0, "slowed==no", "slowed==none | slowed!=no"},
      {throttle_idle, "slowed==no", "slowed==power"},
      {throttle_power_cap, "slowed==power", "slowed==no | slowed==other"},
      {throttle_power_cap | throttle_thermal_software, "slowed==power & slowed==heat",
       "slowed==\"hw heat\""},
      {throttle_hardware_slowdown | throttle_thermal_hardware, "slowed==\"hw heat\"",
       "slowed==hw | slowed==heat"},
      {throttle_hardware_slowdown, "slowed==hw", "slowed~heat"},
      {throttle_power_brake, "slowed==hw", "slowed==other"},
      {0x200, "slowed==other", "slowed==no"},
  };
  for (const auto& row : cases) {
    Sampled device;
    EXPECT_TRUE(holds("slowed==none", device));
    device.sample[Metric::throttle] = row.bits;
    EXPECT_TRUE(holds(row.holds, device)) << row.bits;
    EXPECT_FALSE(holds(row.fails, device)) << row.bits;
  }
}

}  // namespace
}  // namespace drover::filter
