// docs/screens shows each view as it is today: one screen of 120x40 for each, of that view.
#include <algorithm>
#include <array>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tui/dashboard.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

struct ShownOnly {
  ViewId view;
  std::string_view text;  // that no other view shows
};
constexpr std::array<ShownOnly, view_count> shown_only = {{
    {ViewId::fleet, " Devices by "},
    {ViewId::devices, "DEVICE▲"},
    {ViewId::device, " throttle reasons "},
    {ViewId::jobs, " Waiting for "},
    {ViewId::routing, "Placements a minute"},
    {ViewId::power, " Power and cost "},
    {ViewId::events, "most severe first, f:"},
    {ViewId::telemetry, " This dashboard "},
    {ViewId::users, "PROC OLDEST"},
    {ViewId::help, " Keys "},
}};
static_assert(is_in_order(shown_only, &ShownOnly::view));

std::vector<std::string> screen_of(ViewId view) {
  std::ifstream file(fmt::format("{}/docs/screens/{}.txt", DROVER_SOURCE_DIR, to_text(view)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(ScreensDocument, HasEachViewAt120x40) {
  for (const ShownOnly& screen : shown_only) {
    SCOPED_TRACE(to_text(screen.view));
    const std::vector<std::string> lines = screen_of(screen.view);
    ASSERT_EQ(lines.size(), 40u) << "./examples/screens writes them";
    for (const std::string& line : lines) EXPECT_LE(column_width(line), 120u) << line;
    for (const ShownOnly& one : shown_only) {
      const bool shown = std::ranges::any_of(
          lines, [&](const std::string& line) { return line.find(one.text) != std::string::npos; });
      EXPECT_EQ(shown, one.view == screen.view) << one.text;
    }
  }
}

}  // namespace
}  // namespace drover::tui
