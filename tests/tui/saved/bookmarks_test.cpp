// Bookmarks: moments with a text, of this run and of earlier ones.
#include <gtest/gtest.h>

#include "tests/tui/sample_session.h"
#include "tui/saved/choices.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

std::vector<Bookmark> marked(SampleSession& session) {
  std::vector<Bookmark> marks;
  for (const MarkMoment& each : take<MarkMoment>(*session.dashboard)) marks.push_back(each.mark);
  return marks;
}

void enter(SampleSession& session, const std::string& line) {
  session.press({":"});
  session.type(line);
  session.press({"Enter"});
}

TEST(Bookmarks, HaveATextAndAreToldToWhoeverRecords) {
  SampleSession session("fleet");
  enter(session, "bookmark the roll-out");
  EXPECT_TRUE(session.shows("bookmark 02:38:41: the roll-out")) << session.text();
  EXPECT_EQ(marked(session), (std::vector<Bookmark>{{SampleFleet::after_40s, "the roll-out"}}));
  enter(session, "bookmark");
  EXPECT_EQ(marked(session), (std::vector<Bookmark>{{SampleFleet::after_40s, ""}}));
  session.press({"m"});
  EXPECT_TRUE(session.shows("removed")) << session.text();
  EXPECT_TRUE(marked(session).empty());
}

TEST(Bookmarks, LongOnesAreCutAndTheirNumberIsLimited) {
  SampleSession session("fleet");
  enter(session, "bookmark " + std::string(300, 'x'));
  EXPECT_LE(marked(session).at(0).text.size(), bookmark_bytes_max);
  for (std::size_t i = 1; i < bookmarks_max; ++i) {
    session.dashboard->press(SampleFleet::after_40s + seconds(static_cast<int>(i)), {"m"});
  }
  session.dashboard->press(SampleFleet::after_40s + seconds(500), {"m"});
  EXPECT_EQ(marked(session).size(), bookmarks_max - 1);
}

TEST(Bookmarks, JumpsTellTheirTextAndReachOnlyWhatIsKept) {
  SampleSession session("fleet");
  Choices earlier;
  for (const auto& [second, text] :
       {std::pair(-5000, "before memory"), std::pair(20, "the peak")}) {
    earlier.bookmarks[""].push_back({{SampleFleet::start + seconds(second), text}, {}});
  }
  session.dashboard->restore(earlier);
  session.press({"{"});
  EXPECT_TRUE(session.shows("bookmark 02:38:21: the peak")) << session.text();
  EXPECT_TRUE(session.shows("m")) << "on the time line";
  for (int i = 0; i < 5; ++i) session.press({"{"});
  EXPECT_FALSE(session.shows("before memory")) << session.text();
}

TEST(Bookmarks, AreKeptForTheirFleetAlone) {
  DashboardOptions options;
  options.place = "router one";
  Dashboard one(options, {120, 40}, SampleFleet::start);
  one.press(SampleFleet::start, {"m"});
  const Choices kept = one.choices();
  ASSERT_EQ(kept.bookmarks.at("router one").size(), 1u);
  options.place = "router two";
  Dashboard two(options, {120, 40}, SampleFleet::start);
  two.restore(kept);
  EXPECT_TRUE(two.choices().bookmarks.at("router two").empty());
  options.place = "router one";
  Dashboard again(options, {120, 40}, SampleFleet::start);
  again.restore(kept);
  EXPECT_EQ(again.choices(), kept);
}

}  // namespace
}  // namespace drover::tui
