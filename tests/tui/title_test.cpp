// The title line at every width: names of views are shortened before they are dropped, and the
// address and the clock give way first.
#include <set>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/model/alert_words.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

std::string title_at(int columns, const std::string& view = "fleet") {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {columns, 40}, view);
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  return text.substr(0, text.find('\n'));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Title, NamesEachViewFrom80ColumnsOn) {
  for (int columns = 80; columns <= 240; ++columns) {
    const std::string title = title_at(columns);
    SCOPED_TRACE(title);
    for (const ViewFacts& view : view_facts) {
      if (view.id == ViewId::help) continue;
      const std::string key = std::to_string(static_cast<int>(view.id) + 1);
      EXPECT_TRUE(has(title, key + " " + std::string(view.name)) ||
                  has(title, key + " " + std::string(view.brief)))
          << view.name << " at " << columns;
    }
    EXPECT_TRUE(has(title, "3 alerts")) << columns;
  }
}

TEST(Title, ABriefNameBeginsAsItsViewAndNoTwoAreEqual) {
  std::set<std::string_view> briefs;
  for (const ViewFacts& view : view_facts) {
    EXPECT_EQ(view.brief.substr(0, 1), view.name.substr(0, 1)) << view.name << ": " << view.brief;
    EXPECT_LE(view.brief.size(), view.name.size()) << view.brief;
    EXPECT_TRUE(briefs.insert(view.brief).second) << view.brief;
  }
}

TEST(Title, AddressAndClockGiveWayBeforeNamesOfViews) {
  const std::string wide = title_at(200);
  for (const char* part : {"DROVER", "8 telemetry", "tcp://127.0.0.1:7700", "02:38:41 UTC",
                           "3 alerts: edge-1 is lost"}) {
    EXPECT_TRUE(has(wide, part)) << part << "\n" << wide;
  }
  const std::string middle = title_at(110);
  EXPECT_TRUE(has(middle, "7 events")) << middle;
  EXPECT_TRUE(has(title_at(105), "7 events")) << title_at(105);
  EXPECT_FALSE(has(title_at(105), "02:38:41")) << title_at(105);
  EXPECT_TRUE(has(middle, "3 alerts: edge-1 is lost")) << middle;
  EXPECT_FALSE(has(middle, "tcp://")) << middle;
  EXPECT_TRUE(has(title_at(80), " 8 tel ")) << title_at(80);
}

TEST(Title, TheViewShownKeepsItsNameOnTheNarrowestScreen) {
  const std::string title = title_at(60, "routing");
  EXPECT_TRUE(has(title, "5 route")) << title;
}

TEST(Title, HelpHasATabOnlyWhileItIsShown) {
  EXPECT_FALSE(has(title_at(200), "? help"));
  EXPECT_TRUE(has(title_at(200, "help"), "? help"));
}

TEST(AlertWords, SayWhatTheRuleMeans) {
  EXPECT_EQ(alert_words("hot"), "is hot");
  EXPECT_EQ(alert_words("host_lost"), "is lost");
  EXPECT_EQ(alert_words("my_own_rule"), "my own rule");
}

}  // namespace
}  // namespace drover::tui
