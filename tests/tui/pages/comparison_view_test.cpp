// Tagged devices beside each other on one time axis.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr int compared_s = 150;
constexpr Instant compared_at = SampleFleet::start + seconds(compared_s);

/// A dashboard on which `tags` devices of the table are tagged and v was pressed.
std::unique_ptr<Dashboard> comparing(SampleFleet& fleet, Size size, int tags, bool ascii = false) {
  auto dashboard = dashboard_of(fleet, size, "devices", ascii, compared_s);
  for (const char* key : {"g", "j", "j", "j", "j", "j", "j"}) dashboard->press(compared_at, {key});
  for (int i = 0; i < tags; ++i) dashboard->press(compared_at, {"T"});
  dashboard->press(compared_at, {"v"});
  return dashboard;
}

TEST(Comparison, LooksAsReviewed) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    SampleFleet fleet;
    expect_screen("compare-" + std::to_string(size.columns),
                  styled_text(comparing(fleet, size, 3)->draw(compared_at)));
  }
  SampleFleet fleet;
  expect_screen("compare-ascii",
                styled_text(comparing(fleet, {120, 40}, 4, true)->draw(compared_at)));
}

TEST(Comparison, TakesTwoToFourDevicesAndElseSaysHow) {
  for (const int tags : {0, 1, 2, 4, 5}) {
    SampleFleet fleet;
    const std::string text = comparing(fleet, {120, 40}, tags)->draw(compared_at).to_text();
    const bool compares = tags >= 2 && tags <= 4;
    EXPECT_EQ(text.find("Comparing ") != std::string::npos, compares) << tags << text;
    EXPECT_EQ(text.find("then v compares them") != std::string::npos, !compares) << tags << text;
  }
}

TEST(Comparison, EscAndTheSameKeyGoBackToWhereItWasOpened) {
  for (const char* key : {"Esc", "v"}) {
    SampleFleet fleet;
    const auto dashboard = comparing(fleet, {120, 40}, 2);
    dashboard->press(compared_at, {key});
    const std::string text = dashboard->draw(compared_at).to_text();
    EXPECT_NE(text.find("2 tagged"), std::string::npos) << key << text;
  }
}

TEST(Comparison, ScrollsAndZoomsAsTheDeviceViewDoes) {
  SampleFleet fleet;
  const auto dashboard = comparing(fleet, {80, 24}, 2);
  const auto shown = [&] { return dashboard->draw(compared_at).to_text(); };
  EXPECT_NE(shown().find("last 2 min"), std::string::npos) << shown();
  EXPECT_EQ(shown().find("clock, MHz"), std::string::npos) << shown();
  dashboard->press(compared_at, {"G"});
  EXPECT_NE(shown().find("running requests"), std::string::npos) << shown();
  dashboard->press(compared_at, {"z"});
  EXPECT_NE(shown().find("last 5 min"), std::string::npos) << shown();
}

TEST(Comparison, WithoutTagsSaysSo) {
  SampleFleet fleet;
  const auto dashboard = comparing(fleet, {120, 40}, 3);
  dashboard->press(compared_at, {"U"});
  EXPECT_NE(dashboard->draw(compared_at).to_text().find("no tagged device is in the fleet"),
            std::string::npos);
}

TEST(Comparison, EverySizeIsDrawnSafely) {
  SampleFleet fleet;
  const auto dashboard = comparing(fleet, {120, 40}, 4);
  for (int columns = 1; columns <= 210; columns += columns < 40 ? 1 : 13) {
    for (int rows = 1; rows <= 60; rows += rows < 26 ? 1 : 9) {
      dashboard->resize(compared_at, {columns, rows});
      expect_whole_rows(dashboard->draw(compared_at));
    }
  }
}

}  // namespace
}  // namespace drover::tui
