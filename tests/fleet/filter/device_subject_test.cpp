#include <cmath>
#include <variant>

#include <gtest/gtest.h>

#include "tests/fleet/filter/plain_device.h"

namespace drover::filter {
namespace {

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
    PlainDevice device;
    EXPECT_FALSE(filter_matches(row.text, device)) << row.text;
    device.sample[row.metric] = row.value;
    EXPECT_TRUE(filter_matches(row.text, device)) << row.text;
  }
}

TEST(FilterOfSamples, SharesAreOfTheReportedTotal) {
  PlainDevice device;
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
    PlainDevice device;
    EXPECT_TRUE(filter_matches("throttle==none", device));
    device.sample[Metric::throttle] = row.bits;
    EXPECT_TRUE(filter_matches(row.holds, device)) << row.bits;
    EXPECT_FALSE(filter_matches(row.fails, device)) << row.bits;
  }
}

TEST(DeviceFields, TheKindOfARealDeviceIsAlsoWhatItsDriverCallsIt) {
  PlainDevice device;
  device.own_group.device = "nvidia-rtx-a4000";
  EXPECT_TRUE(filter_matches("kind==nvidia-rtx-a4000 & kind==gpu", device));
  EXPECT_FALSE(filter_matches("kind~\"rtx a4000\"", device));
  device.own_board.emplace();
  EXPECT_FALSE(filter_matches("kind==\"\"", device));
  device.own_board->name = "NVIDIA RTX A4000";
  EXPECT_TRUE(filter_matches("kind==\"NVIDIA RTX A4000\"", device));
  EXPECT_TRUE(filter_matches("\"rtx a4000\"", device)) << "a word on its own";
  EXPECT_TRUE(filter_matches("kind==nvidia-rtx-a4000 & kind==gpu", device));
}

TEST(DeviceFields, HeadroomIsTheDistanceToTheSlowdownTemperature) {
  PlainDevice device;
  device.sample[Metric::temperature] = 84;
  EXPECT_TRUE(std::isnan(device.number(Field::headroom)));
  device.slowdown_at_c = 89;
  EXPECT_DOUBLE_EQ(device.number(Field::headroom), 5);
}

TEST(DeviceFields, TheGroupPowerCapAppliesWhenSamplesReportNone) {
  PlainDevice device;
  device.sample[Metric::power] = 350;
  EXPECT_TRUE(std::isnan(device.number(Field::power_share)));
  device.own_group.power_cap_w = 700;
  EXPECT_DOUBLE_EQ(device.number(Field::power_share), 0.5);
  EXPECT_DOUBLE_EQ(device.number(Field::cap), 700);
  device.sample[Metric::power_cap] = 400;
  EXPECT_DOUBLE_EQ(device.number(Field::power_share), 0.875);
}

TEST(DeviceFields, AFaultyDeviceDoesNotWaitForItsPeers) {
  PlainDevice device;
  device.jobs = {{Job{}, Pause::peer}};
  EXPECT_EQ(device.pause(), Pause::peer);
  device.condition_now.faulty = true;
  EXPECT_EQ(device.pause(), Pause::none);
  device.condition_now.health = Health::lost;
  EXPECT_EQ(device.pause(), std::nullopt) << "nothing is known of the work of a lost host";
}

TEST(DeviceFields, ModelsAreThoseLoadedAndThoseOfJobsEachOnce) {
  PlainDevice device;
  Replica replica;
  replica.model = "llama-3.1-8b";
  device.replicas = {replica};
  Job served, trained;
  served.work.model = "llama-3.1-8b";
  trained.work.model = "bert-large";
  device.jobs = {{served, Pause::none}, {trained, Pause::none}};
  EXPECT_EQ(device.values(Field::model), (std::vector<std::string>{"llama-3.1-8b", "bert-large"}));
  device.condition_now.health = Health::left;
  EXPECT_TRUE(device.values(Field::model).empty());
}

}  // namespace
}  // namespace drover::filter
