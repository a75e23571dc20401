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

/// Keys that choose something, then Enter: its devices, and Esc leads back to the same screen.
struct Deeper {
  const char* view;
  std::vector<const char*> keys;
  const char* filter;
  const char* path;
};

TEST(Navigation, PoolsRacksGroupsAndUsersLeadToTheirDevicesAndBack) {
  for (const Deeper& c : {
           Deeper{"power", {"l", "l"}, "filter pool == \"ampere\": 8 of 36", "power > ampere"},
           {"routing", {"l"}, "filter pool == \"hopper\": 8 of 36", "routing > hopper"},
           {"fleet", {"l", "h"}, "filter host == \"gpu-a\": 8 of 36", "fleet > gpu-a"},
           {"fleet", {"b", "l", "h", "j"}, "filter rack == \"r2\": 16 of 36", "fleet > r2"},
           {"fleet", {"b", "b", "l", "h"}, "filter pool == \"ampere\": 8 of 36", "fleet > ampere"},
           {"fleet", {"b", "b", "b", "l", "h"}, "filter kind == \"", "fleet > "},
           {"fleet", {"b", "b", "b", "b", "l", "h"}, "filter state == \"ok\"", "fleet > ok"},
           {"users", {"j"}, "filter tenant == \"", "users > "},
       }) {
    SampleSession walk(c.view);
    for (const char* const key : c.keys) walk.press({key});
    const std::string before = walk.text();
    walk.press({"Enter"});
    EXPECT_TRUE(walk.shows(c.filter)) << c.view << walk.text();
    EXPECT_TRUE(walk.shows(c.path)) << c.view << walk.text();
    EXPECT_TRUE(walk.shows("DEVICE")) << c.view << walk.text();
    walk.press({"Esc"});
    EXPECT_EQ(walk.text(), before) << c.view;
  }
}

TEST(Navigation, AUserWhoOnlyWaitsLeadsToTheJobs) {
  SampleSession walk("users");
  JobChanged job = walk.fleet.jobs.front();
  job.job.id = JobId{};
  job.job.tenant = "late";
  job.state = JobState::queued;
  job.target.clear();
  walk.dashboard->receive(SampleFleet::after_40s, publish_peer, walk.fleet.published(job));
  const Instant later = SampleFleet::after_40s + std::chrono::seconds(2);
  walk.dashboard->draw(later);
  for (const char* const key : {"G", "Enter"}) walk.dashboard->press(later, {key});
  EXPECT_TRUE(walk.shows("users > late")) << walk.text();
  EXPECT_TRUE(walk.shows("Waiting for")) << walk.text();
}

TEST(Navigation, AChosenPoolGivesWayToADecision) {
  SampleSession walk("routing");
  walk.press({"l", "j", "Enter"});
  EXPECT_TRUE(walk.shows("routing > decision")) << walk.text();
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
