// One judgement of how a device is, for the router, the dashboard and the commands.
#include "fleet/device_state.h"

#include <gtest/gtest.h>

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

TEST(DeviceStates, ADeviceThatIsReadRarelyIsStaleAfterTwoReadingsThatShouldHaveCome) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(stale_after_s(5, seconds(0)), 5);
  EXPECT_EQ(stale_after_s(5, milliseconds(100)), 5) << "never sooner than the policy says";
  EXPECT_EQ(stale_after_s(5, seconds(2)), 5);
  EXPECT_EQ(stale_after_s(5, seconds(5)), 12.5);
  EXPECT_EQ(stale_after_s(5, seconds(60)), 150);
  DeviceCondition device;
  device.stale_after_s = stale_after_s(5, seconds(5));
  device.age_s = 12.5;
  EXPECT_FALSE(is_stale(device));
  device.age_s = 12.6;
  EXPECT_TRUE(is_stale(device));
}

}  // namespace
}  // namespace drover
