// Enter goes deeper and Esc goes back to exactly that place; the breadcrumb shows the path.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"

namespace drover::tui {
namespace {

TEST(Navigation, EscGoesBackLevelByLevelToTheSamePlace) {
  SampleSession walk("telemetry");
  walk.press({"j", "j"});
  const std::string hosts = walk.text();
  walk.press({"Enter"});
  EXPECT_TRUE(walk.shows("telemetry > gpu-")) << walk.text();
  const std::string devices = walk.text();
  walk.press({"j", "j", "Enter", "l"});
  EXPECT_TRUE(walk.shows(" > utilization")) << walk.text();
  walk.press({"Esc"});
  EXPECT_FALSE(walk.shows(" > utilization")) << walk.text();
  walk.press({"Esc"});
  EXPECT_TRUE(walk.shows("filter host ==")) << walk.text();
  walk.press({"Esc"});
  EXPECT_EQ(walk.text(), hosts) << "the filter of the host is gone, too";
}

TEST(Navigation, AHostsDevicesKeepTheFilterThatWasThere) {
  SampleSession walk("telemetry");
  walk.press({"/"});
  walk.type("kind == gpu");
  walk.press({"Enter", "g", "Enter"});
  EXPECT_TRUE(walk.shows("filter (kind == gpu) & host ==")) << walk.text();
  walk.press({"Esc"});
  EXPECT_TRUE(walk.shows("filter kind == gpu:")) << walk.text();
}

TEST(Navigation, AnOpenJobLeadsToItsDeviceAndBackToItsDetails) {
  SampleSession walk("jobs");
  walk.press({"f", "g", "j", "Enter"});
  const std::string open = walk.text();
  EXPECT_TRUE(walk.shows("jobs > job ")) << open;
  walk.press({"Enter"});
  EXPECT_TRUE(walk.shows("Device ")) << walk.text();
  walk.press({"Esc"});
  EXPECT_EQ(walk.text(), open);
}

TEST(Navigation, AnEventLeadsToItsMomentAndBackToNow) {
  SampleSession walk("events");
  walk.press({"g", "j", "Enter"});
  EXPECT_TRUE(walk.shows("PAUSED")) << walk.text();
  walk.press({"Esc"});
  EXPECT_FALSE(walk.shows("PAUSED")) << walk.text();
  EXPECT_TRUE(walk.shows("Alerts 4")) << walk.text();
}

TEST(Navigation, AnotherViewIsANewBeginning) {
  SampleSession walk("devices");
  walk.press({"j", "Enter"});
  EXPECT_TRUE(walk.shows("devices > edge-1/0")) << walk.text();
  walk.press({"4"});
  EXPECT_FALSE(walk.shows("devices > ")) << walk.text();
  walk.press({"Esc"});
  EXPECT_TRUE(walk.shows("Waiting for")) << "it does not leave the view";
}

TEST(Navigation, AnotherViewIsNotNarrowedToAHost) {
  SampleSession walk("telemetry");
  walk.press({"g", "Enter"});
  EXPECT_TRUE(walk.shows("filter host ==")) << walk.text();
  walk.press({"1"});
  EXPECT_FALSE(walk.shows("filter host")) << walk.text();
}

TEST(Navigation, TheHelpIsNoPlaceToComeBackTo) {
  SampleSession walk("devices");
  walk.press({"j", "Enter", "?", "3"});
  EXPECT_TRUE(walk.shows("devices > edge-1/0")) << walk.text();
  walk.press({"Esc"});
  EXPECT_TRUE(walk.shows("36 devices")) << walk.text();
}

TEST(Navigation, ALongPathKeepsItsEnd) {
  SampleSession walk("telemetry", {80, 24});
  walk.press({"g", "Enter", "j", "Enter", "l"});
  const std::string text = walk.text();
  EXPECT_NE(text.find(" > utilization"), std::string::npos) << text;
  EXPECT_NE(text.find("q quit"), std::string::npos) << text;
  expect_screen("breadcrumb-80", styled_text(walk.dashboard->draw(SampleFleet::after_40s)));
}

TEST(Navigation, FromTheDevicesOfOneHostToThoseOfAnother) {
  SampleSession walk("telemetry");
  walk.press({"g", "Enter", "Ctrl-P"});
  walk.type("host tpu-a");
  walk.press({"Esc", ":"});
  walk.type("host:tpu-a");
  walk.press({"Enter"});
  EXPECT_TRUE(walk.shows("8 of 36 devices")) << walk.text();
  EXPECT_TRUE(walk.shows("tpu-a/0")) << walk.text();
}

TEST(Navigation, AFilterThatIsTypedOnThePathIsTheUsers) {
  SampleSession walk("telemetry");
  walk.press({"g", "Enter", ":"});
  walk.type("filter kind==tpu");
  walk.press({"Enter", "4", "2"});
  EXPECT_TRUE(walk.shows("16 of 36 devices")) << walk.text();
}

TEST(Navigation, HalfAScreenDownAndUp) {
  // Each walk ends with the copy, as the line about it takes a row of the list.
  for (const auto& keys :
       {std::vector{"g", "Ctrl-D"}, std::vector{"g", "Ctrl-D", "Ctrl-D", "Ctrl-U"}}) {
    SampleSession walk("devices", {120, 30});
    for (const char* key : keys) walk.press({key});
    walk.press({"y"});
    EXPECT_TRUE(walk.shows("copied gpu-b/1")) << walk.text();
  }
}

}  // namespace
}  // namespace drover::tui
