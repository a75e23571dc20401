// Clicks and the wheel: what lies under the pointer acts as its key would.
#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

/// The cell where a text begins on the screen; {-1, -1}: nowhere.
struct Place {
  int column = -1, row = -1;
};
Place place_of(const Canvas& canvas, const std::string& text) {
  for (int row = 0; row < canvas.size().rows; ++row) {
    for (int column = 0; column < canvas.size().columns; ++column) {
      std::string found;
      for (int i = column; i < canvas.size().columns && found.size() < text.size(); ++i) {
        found += canvas.at(i, row).text;
      }
      if (found == text) return {column, row};
    }
  }
  return {};
}

struct Pointed {
  explicit Pointed(const std::string& view) : dashboard(dashboard_of(fleet, {120, 40}, view)) {}
  const Canvas& draw() { return dashboard->draw(SampleFleet::after_3s + seconds(40)); }
  void point(const char* name, const std::string& text) {
    const Place place = place_of(draw(), text);
    ASSERT_GE(place.row, 0) << text << "\n" << draw().to_text();
    dashboard->press(SampleFleet::after_3s + seconds(40), {name, place.column, place.row});
  }
  bool shows(const std::string& text) { return draw().to_text().find(text) != std::string::npos; }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;
};

TEST(Mouse, ClicksSwitchViewsAndTriggerHints) {
  Pointed pointed("fleet");
  pointed.point("Click", " 4 ");
  EXPECT_TRUE(pointed.shows("Waiting for"));
  pointed.point("Click", "? help");
  EXPECT_TRUE(pointed.shows("all keys, commands, reasons"));
}

TEST(Mouse, TabsAndTitlesTakeClicksWhileHostsComeAndGoAndLinesDoNot) {
  const auto click_after_change = [](const char* view, const char* text) {
    Pointed pointed(view);
    const Place place = place_of(pointed.draw(), text);
    HostChanged changed = pointed.fleet.hosts.front();
    changed.health = Health::suspect;
    const Instant now = SampleFleet::after_3s + seconds(40);
    pointed.dashboard->receive(now, publish_peer, pointed.fleet.published(changed, now));
    pointed.dashboard->press(now, {"Click", place.column, place.row});
    return pointed.draw().to_text();
  };
  EXPECT_NE(click_after_change("fleet", " 4 ").find("Waiting for"), std::string::npos);
  EXPECT_NE(click_after_change("devices", "POWER").find("by POWER, descending"), std::string::npos);
  const std::string untouched = click_after_change("fleet", "gpu-b ");
  EXPECT_EQ(untouched.find("fleet > gpu-b"), std::string::npos) << untouched;
}

TEST(Mouse, AClickOnAHeaderSortsAndASecondReversesTheOrder) {
  Pointed pointed("devices");
  pointed.point("Click", "POWER");
  EXPECT_TRUE(pointed.shows("by POWER, descending"));
  pointed.point("Click", "POWER W▼");
  EXPECT_TRUE(pointed.shows("by POWER, ascending"));
}

TEST(Mouse, AClickSelectsARowAndASecondOpensIt) {
  Pointed pointed("devices");
  pointed.point("Click", "gpu-b/2");
  EXPECT_FALSE(pointed.shows("Device gpu-b/2"));
  pointed.point("DoubleClick", "gpu-b/2");
  EXPECT_TRUE(pointed.shows("Device gpu-b/2"));
}

TEST(Mouse, ASecondClickOnAPoolOrAGroupShowsItsDevices) {
  struct Case {
    const char* view;
    const char* text;
    const char* path;
  };
  for (const Case& c : {Case{"power", "pool ampere", "power > ampere"},
                        {"routing", "7 of 8 ", "routing > ampere"},
                        {"fleet", "gpu-b ", "fleet > gpu-b"}}) {
    Pointed pointed(c.view);
    pointed.point("Click", c.text);
    EXPECT_FALSE(pointed.shows(": 8 of 36 devices")) << c.view;
    pointed.point("Click", c.text);
    EXPECT_TRUE(pointed.shows(": 8 of 36 devices")) << c.view << pointed.draw().to_text();
    EXPECT_TRUE(pointed.shows(c.path)) << c.view << pointed.draw().to_text();
  }
}

TEST(Mouse, ClicksFoldAndUnfoldLinesOfTheTree) {
  Pointed pointed("devices");
  pointed.dashboard->press(SampleFleet::after_3s + seconds(40), {"t"});
  pointed.point("Click", "gpu-b");
  EXPECT_FALSE(pointed.shows("gpu-b/2"));
  pointed.point("Click", "gpu-b");
  EXPECT_TRUE(pointed.shows("gpu-b/2")) << pointed.draw().to_text();
  pointed.point("Click", "POWER");
  EXPECT_TRUE(pointed.shows("by POWER, descending"));
}

TEST(Mouse, AClickSelectsTheLineShownEvenIfTheOrderHasChanged) {
  Pointed pointed("devices");
  pointed.point("Click", "UTIL");  // descending
  const Canvas seen = pointed.draw();
  const Place place = place_of(seen, "gpu-a/5");
  ASSERT_GE(place.row, 0);
  for (const Envelope& batch : pointed.fleet.samples(90)) {
    pointed.dashboard->receive(SampleFleet::after_3s + seconds(90), publish_peer, batch);
  }
  pointed.dashboard->press(SampleFleet::after_3s + seconds(90), {"Click", place.column, place.row});
  pointed.dashboard->press(SampleFleet::after_3s + seconds(90), {"Enter"});
  EXPECT_NE(
      pointed.dashboard->draw(SampleFleet::after_3s + seconds(90)).to_text().find("Device gpu-a/5"),
      std::string::npos);
}

TEST(Mouse, TheWheelMovesTheSelection) {
  Pointed pointed("devices");
  pointed.point("Click", "gpu-a/0");
  pointed.point("WheelDown", "gpu-a/0");
  pointed.dashboard->press(SampleFleet::after_3s + seconds(40), {"Enter"});
  EXPECT_TRUE(pointed.shows("Device gpu-a/3"));
}

TEST(Mouse, AClickOnTheTimelineGoesToThatMoment) {
  Pointed pointed("fleet");
  pointed.dashboard->press(SampleFleet::after_3s + seconds(40), {"Space"});
  const Place clock = place_of(pointed.draw(), "02:38:01 ");
  ASSERT_EQ(clock.row, 2) << pointed.draw().to_text();
  pointed.dashboard->press(SampleFleet::after_3s + seconds(40),
                           {"Click", clock.column + 9, clock.row});
  EXPECT_TRUE(pointed.shows("PAUSED at 02:38:01")) << pointed.draw().to_text();
}

TEST(Mouse, ClicksOnNothingDoNothing) {
  Pointed pointed("fleet");
  const std::string before = pointed.draw().to_text();
  for (const Place place : {Place{0, 39}, Place{-1, -1}, Place{500, 500}}) {
    pointed.dashboard->press(SampleFleet::after_3s + seconds(40),
                             {"Click", place.column, place.row});
  }
  EXPECT_EQ(pointed.draw().to_text(), before);
}

}  // namespace
}  // namespace drover::tui
