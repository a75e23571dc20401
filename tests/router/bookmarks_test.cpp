// Moments that viewers mark: who may, what is published of them, and how many.
#include "router/bookmarks.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t marking_peer = 20;

class MarkedRouter : public RouterHarness {
 public:
  explicit MarkedRouter(RouterSettings with = {}) : RouterHarness(std::move(with)) {
    receive(marking_peer, Join{Role::viewer, "ann:node-7", "drover test"});
    forget();
  }

  /// The problem in the router's answer; empty: it was published.
  std::string mark(Instant at, const std::string& text, std::uint64_t peer = marking_peer) {
    forget();
    receive(peer, Bookmark{at, text});
    return answer(at, peer);
  }
  std::string mark_with_key(const std::string& key, std::uint64_t peer) {
    forget();
    router->receive(now, {Channel::control, peer}, {"peer", 1, now, Bookmark{now, ""}}, key);
    tick();
    return answer(now, peer);
  }

 private:
  std::string answer(Instant at, std::uint64_t peer) const {
    const auto replies = told<BookmarkReply>(peer);
    if (replies.size() != 1 || replies[0].at != at) return "no answer";
    const auto marks = std::ranges::count_if(
        published<Event>(), [](const Event& event) { return event.bookmark.has_value(); });
    EXPECT_EQ(marks, replies[0].problem.empty() ? 1 : 0);
    return replies[0].problem;
  }
};

TEST(RouterBookmarks, OfAViewerArePublishedWithItsName) {
  MarkedRouter stage;
  const Instant at = stage.now - seconds(90);
  EXPECT_EQ(stage.mark(at, "the peak"), "");
  const auto events = stage.published<Event>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].severity, Severity::info);
  EXPECT_EQ(events[0].subject, "bookmark");
  EXPECT_EQ(events[0].text, "the peak (of " + to_clock_text(at) + ", by ann@node-7)");
  EXPECT_EQ(events[0].bookmark, (Bookmark{at, "the peak"}));
  EXPECT_TRUE(stage.writes.empty()) << "nothing is written to the ledger";
  EXPECT_EQ(stage.mark(at, ""), "");
  EXPECT_EQ(stage.published<Event>().at(0).text, "of " + to_clock_text(at) + ", by ann@node-7");
}

TEST(RouterBookmarks, AreInLaterSnapshots) {
  MarkedRouter stage;
  EXPECT_EQ(stage.mark(stage.now, "the peak"), "");
  stage.receive(21, SnapshotRequest{});
  std::vector<Bookmark> marks;
  for (const SnapshotPart& part : stage.told<SnapshotPart>(21)) {
    for (const std::string& bytes : part.messages) {
      const Message body = decode(bytes).value().body;
      const auto* const event = std::get_if<Event>(&body);
      if (event != nullptr && event->bookmark) marks.push_back(*event->bookmark);
    }
  }
  EXPECT_EQ(marks, (std::vector<Bookmark>{{stage.now, "the peak"}}));
}

TEST(RouterBookmarks, ThatCannotBeAreRefused) {
  RouterSettings fast;
  fast.speed = 10;
  MarkedRouter stage(fast);
  const Instant now = stage.now;
  EXPECT_EQ(stage.mark(now, std::string(bookmark_bytes_max + 1, 'x')),
            "found a text of 161 bytes, expected at most 160");
  EXPECT_EQ(stage.mark(Instant{} - seconds(1), ""), "its moment is before 1970");
  EXPECT_EQ(stage.mark(now + seconds(51), ""), "its moment is in the future");
  EXPECT_EQ(stage.mark(never, ""), "its moment is in the future");
  // A clock that is five wall seconds ahead.
  EXPECT_EQ(stage.mark(now + seconds(49), std::string(bookmark_bytes_max, 'x')), "");
  EXPECT_EQ(stage.mark(Instant{}, ""), "");
}

TEST(RouterBookmarks, ControlCharactersAreShownEscapedAndPassedOnAsTheyCame) {
  MarkedRouter stage;
  EXPECT_EQ(stage.mark(stage.now, "\x1b[2J"), "");
  const Event event = stage.published<Event>().at(0);
  EXPECT_EQ(event.text.find('\x1b'), std::string::npos) << event.text;
  EXPECT_EQ(event.bookmark->text, "\x1b[2J");
}

TEST(RouterBookmarks, AreLimitedForEachSenderInAnyWallMinute) {
  RouterSettings fast;
  fast.speed = 10;
  MarkedRouter stage(fast);
  const std::string many = "there were many in the last minute; try again later";
  for (std::size_t i = 0; i < bookmarks_of_sender_max; ++i) {
    EXPECT_EQ(stage.mark(stage.now, ""), "") << i;
  }
  EXPECT_EQ(stage.mark(stage.now, ""), many);
  EXPECT_EQ(stage.mark(stage.now, "", marking_peer + 1), "") << "somebody else";
  stage.now += minutes(10) - seconds(1);
  EXPECT_EQ(stage.mark(stage.now, ""), many);
  stage.now += seconds(1);
  EXPECT_EQ(stage.mark(stage.now, ""), "");
}

TEST(RouterBookmarks, AreLimitedForAllConnectionsOfAKeyAndForAllSenders) {
  MarkedRouter stage;
  std::uint64_t peer = marking_peer;
  for (std::size_t i = 0; i < bookmarks_of_sender_max; ++i) {
    EXPECT_EQ(stage.mark_with_key("ops", ++peer), "") << i;
  }
  EXPECT_NE(stage.mark_with_key("ops", ++peer), "");
  for (std::size_t i = bookmarks_of_sender_max; i < bookmarks_of_all_max; ++i) {
    EXPECT_EQ(stage.mark(stage.now, "", ++peer), "") << i;
  }
  EXPECT_NE(stage.mark(stage.now, "", ++peer), "");
}

TEST(RouterBookmarks, OfAnAgentAreRefused) {
  MarkedRouter stage;
  stage.add_host(1, "h1");
  stage.forget();
  stage.receive(1, Bookmark{stage.now, "the peak"});
  for (const Event& event : stage.published<Event>()) EXPECT_FALSE(event.bookmark.has_value());
  EXPECT_TRUE(stage.told<BookmarkReply>(1).empty());
}

TEST(RouterBookmarks, AreOfferedInTheJoin) {
  MarkedRouter stage;
  stage.receive(marking_peer + 1, Join{Role::viewer, "bob:node-8", "drover test"});
  EXPECT_TRUE(stage.told<JoinAccepted>(marking_peer + 1).at(0).bookmarks);
}

}  // namespace
}  // namespace drover::router
