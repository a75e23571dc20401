// One judgement of how a device is, for the router, the dashboard and the commands.
#include "fleet/device_state.h"

#include <gtest/gtest.h>

#include "fleet/filter/device.h"

namespace drover {
namespace {

TEST(DeviceStates, ASampleThatIsTooOldOrMissingMakesADeviceStale) {
  DeviceCondition device;
  EXPECT_EQ(states_text(device), "stale") << "it has never reported";
  device.age_s = 5;
  EXPECT_EQ(states_text(device), "ok");
  EXPECT_TRUE(is_known(device));
  device.age_s = 5.1;
  EXPECT_EQ(states_text(device), "stale");
  EXPECT_FALSE(is_known(device));
}

TEST(DeviceStates, ADeviceOffTheBusIsUnusableStaleAndOtherwiseUnknown) {
  DeviceCondition device;
  device.usable = false;
  device.faulty = true;
  device.age_s = 60;
  EXPECT_EQ(states_text(device), "unusable faulty stale");
  EXPECT_EQ(most_severe_state(device), DeviceState::unusable);
  EXPECT_FALSE(is_known(device));
}

TEST(DeviceStates, ALostOrDepartedHostHasItsOwnStateAndIsNotStale) {
  DeviceCondition device;
  device.age_s = 1'000;
  device.health = Health::lost;
  EXPECT_EQ(states_text(device), "lost");
  device.health = Health::left;
  EXPECT_EQ(states_text(device), "left");
  EXPECT_FALSE(is_stale(device));
  EXPECT_FALSE(is_known(device));
  device.drained = true;
  EXPECT_EQ(states_text(device), "drained left");
}

TEST(DeviceFields, HeadroomIsTheDistanceToTheSlowdownTemperature) {
  const auto reading = [](Metric metric) { return metric == Metric::temperature ? 84 : absent; };
  filter::DeviceFacts device;
  EXPECT_TRUE(std::isnan(filter::number_of(filter::Field::headroom, device, reading)));
  device.slowdown_c = 89;
  EXPECT_DOUBLE_EQ(filter::number_of(filter::Field::headroom, device, reading), 5);
}

TEST(DeviceFields, TheGroupPowerCapAppliesWhenSamplesReportNone) {
  double cap_w = absent;
  const auto reading = [&](Metric metric) {
    return metric == Metric::power ? 350 : metric == Metric::power_cap ? cap_w : absent;
  };
  filter::DeviceFacts device;
  EXPECT_TRUE(std::isnan(filter::number_of(filter::Field::power_share, device, reading)));
  device.group_cap_w = 700;
  EXPECT_DOUBLE_EQ(filter::number_of(filter::Field::power_share, device, reading), 0.5);
  EXPECT_DOUBLE_EQ(filter::number_of(filter::Field::cap, device, reading), 700);
  cap_w = 400;
  EXPECT_DOUBLE_EQ(filter::number_of(filter::Field::power_share, device, reading), 0.875);
}

}  // namespace
}  // namespace drover
