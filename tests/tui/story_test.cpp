// The demo's story on the screen: its caption, the screen that follows it, and its totals.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/history/in_memory_timeline.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

Caption chapter(std::uint32_t number, const std::string& view, const std::string& metric = "",
                const std::string& device = "") {
  Caption caption{"A rack's cooling fails: its devices throttle (reason: thermal)", "1", number, 8,
                  false};
  caption.view = view;
  caption.metric = metric;
  caption.device = device;
  return caption;
}

/// The demo's dashboard, or with `story` false another one that shows the same fleet.
class StoryScreen {
 public:
  explicit StoryScreen(bool story = true, Size size = {120, 40}) {
    DashboardOptions options;
    options.story = story;
    dashboard_ = std::make_unique<Dashboard>(options, size, SampleFleet::start);
    for (const Envelope& envelope : fleet_.snapshot()) {
      dashboard_->receive(SampleFleet::start, router_peer, envelope);
    }
  }

  void say(const Message& message) {
    dashboard_->receive(SampleFleet::after_2s, publish_peer,
                        fleet_.published(message, SampleFleet::after_2s));
  }
  void press(const std::string& key) { dashboard_->press(SampleFleet::after_2s, Key{key}); }
  std::string text() { return dashboard_->draw(SampleFleet::after_2s).to_text(); }
  std::string styled() { return styled_text(dashboard_->draw(SampleFleet::after_2s)); }
  bool shows(const std::string& words) { return text().find(words) != std::string::npos; }
  /// Whether the title has the view's name as that of the one that is shown.
  bool shows_view(const std::string& name) {
    const Canvas& canvas = dashboard_->draw(SampleFleet::after_2s);
    std::string selected;
    for (int column = 0; column < canvas.size().columns; ++column) {
      const Cell& cell = canvas.at(column, 0);
      if (cell.style == CellStyle::selected) selected += cell.text;
    }
    return selected.find(name) != std::string::npos;
  }

 private:
  SampleFleet fleet_;
  std::unique_ptr<Dashboard> dashboard_;
};

TEST(StoryScreen, ShowsWhatEachChapterIsAboutAndSaysSo) {
  StoryScreen screen;
  screen.say(chapter(1, "routing"));
  EXPECT_TRUE(screen.shows_view("routing")) << screen.text();
  EXPECT_TRUE(screen.shows("the screen follows the story; any key takes over, p pauses"));
  screen.say(chapter(2, "fleet", "temperature", "gpu-a/3"));
  EXPECT_TRUE(screen.shows("by temperature")) << screen.text();
  EXPECT_TRUE(screen.shows("Device gpu-a/3")) << screen.text();
}

TEST(StoryScreen, AKeyTakesOverAndAnotherLetsItFollowAgain) {
  for (const char* key : {"4", "Tab", "j", ":", "Space"}) {
    StoryScreen screen;
    screen.say(chapter(1, "fleet"));
    screen.press(key);
    EXPECT_FALSE(screen.shows("any key takes over")) << key;
    screen.say(chapter(2, "routing"));
    EXPECT_FALSE(screen.shows_view("routing")) << key;
  }
  StoryScreen screen;
  screen.press("4");
  screen.say(chapter(2, "routing"));
  EXPECT_TRUE(screen.shows("press 1 to see it, P follows the story")) << screen.text();
  screen.press("P");
  EXPECT_TRUE(screen.shows_view("routing")) << "the current chapter, at once";
  screen.say(chapter(3, "fleet"));
  EXPECT_TRUE(screen.shows_view("fleet")) << screen.text();
}

TEST(StoryScreen, KeysThatChooseNoViewDoNotTakeOver) {
  StoryScreen screen;
  screen.say(chapter(1, "fleet"));
  for (const char* key : {"p", "Ctrl-L", "F12"}) screen.press(key);
  screen.say(chapter(2, "routing"));
  EXPECT_TRUE(screen.shows_view("routing")) << screen.text();
}

TEST(StoryScreen, AChapterIsShownOnceSoThatNothingMovesWithinIt) {
  StoryScreen screen;
  screen.say(chapter(1, "routing"));
  screen.press("P");
  screen.press("1");
  screen.press("P");
  EXPECT_TRUE(screen.shows_view("routing"));
  Caption paused = chapter(1, "fleet");
  paused.paused = true;
  screen.say(paused);
  EXPECT_TRUE(screen.shows_view("routing")) << "the chapter is the same";
  EXPECT_TRUE(screen.shows("(paused)"));
}

TEST(StoryScreen, OnlyTheDemosOwnDashboardFollowsUnasked) {
  StoryScreen other(false);
  other.say(chapter(1, "routing"));
  EXPECT_TRUE(other.shows_view("fleet"));
  EXPECT_FALSE(other.shows("to see it")) << "key 1 leads to this view";
  other.press("2");
  EXPECT_TRUE(other.shows("press 1 to see it"));
  EXPECT_FALSE(other.shows("p pauses")) << "its story is another program's";
  other.press("P");
  EXPECT_TRUE(other.shows_view("routing")) << other.text();
}

TEST(StoryScreen, AReplayDoesNotFollowItsStory) {
  SampleFleet fleet;
  InMemoryTimeline recording(SampleFleet::start, seconds(1));
  for (const Envelope& told : fleet.state()) recording.add(SampleFleet::start, told);
  recording.add(SampleFleet::after_2s,
                fleet.published(chapter(1, "routing"), SampleFleet::after_2s));
  DashboardOptions options;
  options.replay = {&recording, "story.mcap", 1, SampleFleet::after_3s, true};
  options.settings.start.view = "devices";
  Dashboard replay(options, {120, 40}, SampleFleet::start);
  const auto text = [&] { return replay.draw(SampleFleet::start).to_text(); };
  EXPECT_NE(text().find("press 1 to see it"), std::string::npos) << text();
  replay.press(SampleFleet::start, {"P"});
  EXPECT_NE(text().find("no story to follow"), std::string::npos) << text();
}

TEST(StoryScreen, UnknownViewsMetricsAndDevicesChangeNothing) {
  StoryScreen screen;
  screen.say(chapter(1, "kitchen", "colour", "nobody/99"));
  EXPECT_TRUE(screen.shows_view("fleet")) << screen.text();
  EXPECT_TRUE(screen.shows("by utilization")) << screen.text();
}

TEST(StoryScreen, WithoutAStoryThereIsNothingToFollow) {
  StoryScreen screen(false);
  screen.press("P");
  EXPECT_TRUE(screen.shows("no story to follow")) << screen.text();
}

TEST(StoryScreen, ACaptionIsNeverCutOnTwoRowsOf80Columns) {
  StoryScreen screen(true, {80, 24});
  Caption caption = chapter(5, "fleet");
  caption.text = std::string(60, 'x') + " " + std::string(51, 'x') + " end";
  screen.say(caption);
  EXPECT_TRUE(screen.shows("x end")) << screen.text();
  EXPECT_TRUE(screen.shows("any key takes over")) << screen.text();
}

Caption last_chapter() {
  Caption last = chapter(8, "fleet", "utilization");
  last.totals = true;
  return last;
}

TEST(StoryScreen, LastChapterSumsUpWhatTheRouterCounted) {
  for (const Size size : {Size{80, 24}, Size{120, 40}}) {
    StoryScreen screen(true, size);
    screen.say(last_chapter());
    expect_screen("story-totals-" + std::to_string(size.columns), screen.styled());
  }
}

TEST(StoryScreen, TotalsNameWhatWasLost) {
  Summary sums;
  sums.accepted = 10;
  sums.finished = 6;
  sums.running = 1;
  sums.failed = 1;
  StoryScreen screen;
  screen.say(last_chapter());
  screen.say(sums);
  EXPECT_TRUE(screen.shows("2 of 10 jobs: 6 finished, 1 failed, 1 running, 0 queued"))
      << screen.text();
  sums.queued = 2;
  screen.say(sums);
  EXPECT_TRUE(screen.shows("none of 10 jobs: 6 finished, 1 failed, 1 running, 2 queued"))
      << screen.text();
}

TEST(StoryScreen, TotalsCountTheReasonsThatDoNotFit) {
  Summary sums;
  sums.fallbacks = {{Reason::capacity, 1200}, {Reason::queue_slo, 4400},
                    {Reason::thermal, 130},   {Reason::precision, 17},
                    {Reason::unhealthy, 310}, {Reason::op_unsupported, 9}};
  StoryScreen narrow(true, {80, 24});
  narrow.say(last_chapter());
  narrow.say(sums);
  EXPECT_TRUE(narrow.shows("6066 jobs: queue_slo 4400, capacity 1200")) << narrow.text();
  EXPECT_TRUE(narrow.shows(" other reason")) << narrow.text();
  StoryScreen wide;
  wide.say(last_chapter());
  wide.say(sums);
  EXPECT_TRUE(wide.shows("precision 17, op_unsupported 9")) << wide.text();
}

}  // namespace
}  // namespace drover::tui
