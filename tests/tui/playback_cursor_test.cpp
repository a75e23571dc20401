// The keys of the one time cursor, and what the screen says of where it stands.
#include <sstream>

#include <gtest/gtest.h>

#include "tests/tui/sample_stream.h"
#include "tui/keymap.h"
#include "tui/state/timeline_text.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string row_of(const Canvas& canvas, int row) {
  std::string text;
  for (int column = 0; column < canvas.size().columns; ++column) {
    text += canvas.at(column, row).text;
  }
  return text;
}

/// A live dashboard that has heard half a minute: it is 02:38:31.
struct Live {
  std::vector<Told> stream = sample_stream(3, 60);
  std::size_t next = 0;
  Instant now = SampleFleet::start + seconds(30);
  Dashboard dashboard{{}, {120, 40}, SampleFleet::start};

  Live() { pass(seconds(0)); }
  void pass(Duration time) {
    now += time;
    tell(dashboard, stream, next, now);
    dashboard.tick(now);
  }
  void press(const std::string& keys) {
    std::stringstream words(keys);
    for (std::string key; words >> key;) dashboard.press(now, {key});
  }
  void type(const std::string& text) {
    for (const char letter : text) {
      dashboard.press(now, {letter == ' ' ? "Space" : std::string(1, letter)});
    }
  }
  std::string banner() { return row_of(dashboard.draw(now), 1); }
  std::string clock() {
    const std::string title = row_of(dashboard.draw(now), 0);
    return title.substr(title.rfind(':') - 5, 8);
  }
};

TEST(PlaybackCursor, SpacePausesTimeAndResumesFromThereBehindLive) {
  Live live;
  EXPECT_EQ(live.clock(), "02:38:31");
  EXPECT_EQ(live.banner().find("PAUSED"), std::string::npos);
  live.press("Space");
  live.pass(seconds(7));
  EXPECT_EQ(live.clock(), "02:38:31");
  EXPECT_NE(live.banner().find("PAUSED at 02:38:31 UTC, 7.0s behind live  x1 | [ ] step  "
                               "Space resume  L live"),
            std::string::npos)
      << live.banner();
  live.press("Space");
  live.pass(seconds(5));
  EXPECT_EQ(live.clock(), "02:38:36") << "seven seconds behind, and goes on";
  EXPECT_NE(live.banner().find("PAST 02:38:36 UTC, 7.0s behind live  x1"), std::string::npos)
      << live.banner();
  live.press("L");
  EXPECT_EQ(live.clock(), "02:38:43");
  EXPECT_EQ(live.banner().find("behind"), std::string::npos);
}

TEST(PlaybackCursor, StepsPauseTimeAndStopAtTheEnds) {
  Live live;
  live.press("[ [ [ ]");
  EXPECT_EQ(live.clock(), "02:38:29");
  EXPECT_NE(live.banner().find("PAUSED"), std::string::npos);
  for (int i = 0; i < 40; ++i) live.press("[");
  EXPECT_EQ(live.clock(), "02:38:01");
  EXPECT_NE(live.banner().find("nothing older is kept"), std::string::npos) << live.banner();
  for (int i = 0; i < 40; ++i) live.press("]");
  EXPECT_EQ(live.clock(), "02:38:31");
  EXPECT_NE(live.banner().find("already live"), std::string::npos) << live.banner();
}

TEST(PlaybackCursor, BracesStepFromAlertToAlert) {
  Live live;
  std::vector<std::string> instants;
  for (const Told& told : live.stream) {
    const auto marker = timeline_marker_of({.at = told.at, .envelope = told.envelope});
    if (told.at > live.now || !marker || marker->kind == TimelineMarker::Kind::caption) continue;
    instants.push_back(to_clock_text(told.at));
  }
  ASSERT_GT(instants.size(), 3u);
  for (std::size_t i = instants.size(); i-- > 0;) {
    live.press("{");
    EXPECT_EQ(live.clock(), instants[i]);
  }
  live.press("{");
  EXPECT_EQ(live.clock(), instants[0]);
  EXPECT_NE(live.banner().find("no older alert is kept"), std::string::npos);
  live.press("}");
  EXPECT_EQ(live.clock(), instants[1]);
}

TEST(PlaybackCursor, CatchesUpWithLiveWhenPlayingFaster) {
  Live live;
  live.press("[ [ [ [ Space +");
  EXPECT_NE(live.banner().find("x2"), std::string::npos) << live.banner();
  live.pass(seconds(3));
  EXPECT_EQ(live.clock(), "02:38:33");
  live.pass(seconds(2));
  EXPECT_EQ(live.clock(), "02:38:36");
  EXPECT_EQ(live.banner().find("behind"), std::string::npos) << live.banner();
}

TEST(PlaybackCursor, AReplayHasSpeedsAndStopsAtItsEnd) {
  const Remembered remembered(sample_stream(3, 60));
  DashboardOptions options;
  options.replay = {&remembered.memory, "some.mcap", 1, SampleFleet::start, false};
  options.speed = 2;  // two seconds of the fleet in each of the wall
  const Instant begin{};
  Dashboard dashboard(options, {120, 40}, begin);
  EXPECT_TRUE(dashboard.has_synced());
  EXPECT_TRUE(dashboard.take_effects().empty()) << "there is nobody to ask";
  const auto banner = [&](Duration at) { return row_of(dashboard.draw(begin + at), 1); };
  EXPECT_NE(
      banner(seconds(0))
          .find("REPLAY 02:38:01 fleet time  00:00 of 00:59  x1 playing | Space pause  + - speed | "
                "some.mcap"),
      std::string::npos)
      << banner(seconds(0));
  EXPECT_NE(banner(seconds(4)).find("00:08 of 00:59"), std::string::npos);
  for (const char* key : {"-", "-"}) dashboard.press(begin + seconds(4), {key});
  EXPECT_NE(banner(seconds(8)).find("00:10 of 00:59  x0.25 playing"), std::string::npos)
      << banner(seconds(8));
  for (int i = 0; i < 20; ++i) dashboard.press(begin + seconds(8), {"+"});
  EXPECT_NE(banner(seconds(8)).find("x1000 playing"), std::string::npos);
  const std::string end = banner(seconds(9));
  EXPECT_NE(end.find("00:59 of 00:59  x1000 paused | end of the recording"), std::string::npos)
      << end;
  EXPECT_FALSE(dashboard.needs_frame());
}

TEST(PlaybackCursor, AReplayShowsItsFactsHoweverLongTheFileName) {
  const Remembered remembered(sample_stream(3, 60));
  DashboardOptions options;
  options.replay = {&remembered.memory, std::string(200, 'n') + ".mcap", 1, SampleFleet::start,
                    true};
  for (const int columns : {80, 120}) {
    Dashboard dashboard(options, {columns, 24}, SampleFleet::start);
    const std::string hinted = row_of(dashboard.draw(SampleFleet::start), 1);
    EXPECT_NE(hinted.find("00:00 of 00:59  x1 paused | [ ] step  Space resume | nnn"),
              std::string::npos)
        << hinted;
    dashboard.press(SampleFleet::start, {"{"});
    const std::string noted = row_of(dashboard.draw(SampleFleet::start), 1);
    EXPECT_NE(noted.find("x1 paused | no older alert is recorded |"), std::string::npos) << noted;
  }
}

TEST(PlaybackCursor, AMessageForAKeyDisappearsWithTheNextKey) {
  Live live;
  live.press("+");
  EXPECT_NE(live.banner().find("live speed cannot change"), std::string::npos) << live.banner();
  live.press("2");
  EXPECT_EQ(live.banner().find("live speed cannot change"), std::string::npos) << live.banner();
  live.press("L +");
  EXPECT_NE(live.banner().find("live speed cannot change"), std::string::npos) << live.banner();
  live.press("@");
  EXPECT_EQ(live.banner().find("live speed cannot change"), std::string::npos) << live.banner();
}

TEST(PlaybackCursor, GoesToARequestedTime) {
  struct Case {
    const char* typed;
    const char* clock;
  };
  for (const Case& c : {Case{"02:38:11", "02:38:11"},
                        {"-5s", "02:38:26"},
                        {"-0.1m", "02:38:25"},
                        {"2025-11-21T02:38:20Z", "02:38:20"},
                        {"2025-11-21 02:38:21", "02:38:21"},
                        {"02:38:11.900", "02:38:11"},
                        {"12s", "02:38:13"},
                        {"0s", "02:38:01"},
                        {"30s", "02:38:31"},
                        {"", "02:38:31"}}) {
    Live live;
    live.press("@");
    live.type(c.typed);
    EXPECT_NE(live.dashboard.draw(live.now).to_text().find(std::string("Go to: ") + c.typed),
              std::string::npos);
    live.press("Enter");
    EXPECT_EQ(live.clock(), c.clock) << c.typed;
  }
}

TEST(PlaybackCursor, AnUnavailableTimeIsRefusedWithTheAvailableRange) {
  for (const char* typed : {"100h", "01:00:00", "+5s", "-1h"}) {
    Live live;
    live.press("@");
    live.type(typed);
    live.press("Enter");
    const std::string text = live.dashboard.draw(live.now).to_text();
    const std::string reported =
        std::string("found '") + typed +
        "', expected 02:38:01 to 02:38:31 of fleet time (0s to 30s from the start)";
    EXPECT_NE(text.find(reported), std::string::npos) << text;
    live.press("Esc");
    EXPECT_EQ(live.clock(), "02:38:31") << typed;
    EXPECT_EQ(live.dashboard.draw(live.now).to_text().find("PAUSED"), std::string::npos) << typed;
  }
}

TEST(PlaybackCursor, AClockTimeSelectsTheNearestShowableEvenAcrossMidnight) {
  const Instant midnight{std::chrono::hours(24) * 20'000};
  const auto hours = [](double count) { return from_seconds(3'600 * count); };
  struct Case {
    const char* typed;
    Duration shown, first, last, expected;  // since midnight
  };
  for (const Case& c : {
           Case{"23:59:50", seconds(10), hours(-1), hours(1), seconds(-10)},
           {"00:00:10", seconds(-10), hours(-1), hours(1), seconds(10)},
           {"12:00:00", hours(10), hours(0), hours(20), hours(12)},
           {"23:00", hours(1), hours(-3), hours(2), hours(-1)},
           {"23:00", hours(1), hours(0.5), hours(23.5), hours(23)},  // the nearer cannot be shown
           {"01:00", hours(23), hours(0), hours(26), hours(25)},
           {"01:00", hours(23), hours(0), hours(24), hours(1)},
           {"03:00", hours(1), hours(0), hours(2), hours(3)},  // none can: the nearest end
           {"23:00", hours(1), hours(0), hours(2), hours(-1)},
       }) {
    const Result<Instant> found =
        parse_moment(c.typed, midnight + c.shown, {midnight + c.first, midnight + c.last});
    ASSERT_TRUE(found.ok()) << c.typed;
    EXPECT_EQ(*found - midnight, c.expected) << c.typed << " at " << to_seconds(c.shown) / 3'600;
  }
}

TEST(PlaybackCursor, AnInvalidTimeIsReportedInThePromptAndEscClosesIt) {
  for (const char* typed :
       {"q", "25:00:00", "12:60:00", "1:2:3", "-5", "-x", "2025-13-01T00:00:00Z",
        "2025-02-30T00:00:00Z", "12:00:00:00", "12:00:00.", "-1e99s"}) {
    Live live;
    live.press("@");
    live.type(typed);
    live.press("Enter");
    const std::string text = live.dashboard.draw(live.now).to_text();
    EXPECT_NE(text.find("found"), std::string::npos) << typed << "\n" << text;
    EXPECT_FALSE(takes<Quit>(live.dashboard)) << "letters are text here";
    live.press("Backspace");
    EXPECT_EQ(live.dashboard.draw(live.now).to_text().find("found"), std::string::npos) << typed;
    live.press("Esc");
    EXPECT_EQ(live.dashboard.draw(live.now).to_text().find("Go to:"), std::string::npos);
    EXPECT_EQ(live.clock(), "02:38:31") << typed;
  }
  Live live;
  live.press("@ Ctrl-C");
  EXPECT_TRUE(takes<Quit>(live.dashboard));
}

TEST(PlaybackCursor, GoesBackTheStatedAmountAtAnySpeed) {
  const std::vector<Told> stream = sample_stream(3, 60);
  DashboardOptions options;
  options.speed = 10;
  Dashboard dashboard(options, {120, 40}, SampleFleet::start);
  std::size_t next = 0;
  const Instant now = SampleFleet::start + seconds(50);
  tell(dashboard, stream, next, now);
  for (const char* key : {"@", "-", "3", "0", "s", "Enter"}) dashboard.press(now, {key});
  EXPECT_NE(row_of(dashboard.draw(now), 1).find("PAUSED at 02:38:21 fleet time, 30s behind live"),
            std::string::npos)
      << row_of(dashboard.draw(now), 1);
  dashboard.press(now, {"["});
  EXPECT_NE(row_of(dashboard.draw(now), 1).find("31s behind live"), std::string::npos);
}

/// Every key there is, letters for the prompt, and some that mean nothing.
std::vector<std::string> all_keys() {
  std::vector<std::string> keys = {"Z", "ä", "Delete", "F5", "-", "5", "s", ":", "Backspace"};
  for (const Binding& binding : bindings()) {
    std::stringstream words{std::string(binding.keys)};
    for (std::string key; words >> key;) {
      if (binding.help != "Quit") keys.push_back(key);
    }
  }
  return keys;
}

TEST(PlaybackCursor, AnyKeysAtAnyTimeAreHarmlessAndRepeatable) {
  const std::vector<Told> stream = sample_stream(12, 60);
  const std::vector<std::string> keys = all_keys();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<std::string> seen;
    for (int run = 0; run < 2; ++run) {
      RandomStream random(seed);
      Dashboard dashboard({}, {100, 30}, SampleFleet::start);
      std::size_t next = 0;
      Instant now = SampleFleet::start;
      for (int i = 0; i < 150; ++i) {
        now += milliseconds(random.below(400));
        tell(dashboard, stream, next, now);
        for (std::uint64_t k = random.below(4); k > 0; --k) {
          dashboard.press(now, {keys[random.below(keys.size())]});
        }
        if (random.below(10) == 0) {
          dashboard.resize(now, {static_cast<int>(1 + random.below(160)),
                                 static_cast<int>(1 + random.below(50))});
        }
        const std::string frame = rows_of(dashboard.draw(now));
        if (run == 0) seen.push_back(frame);
        ASSERT_EQ(frame, seen[static_cast<std::size_t>(i)]) << "seed " << seed << " step " << i;
      }
      EXPECT_FALSE(takes<Quit>(dashboard));
    }
  }
}

}  // namespace
}  // namespace drover::tui
