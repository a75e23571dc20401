// A recording seen through the dashboard: the same moments, the same frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "commands/dashboard/replay_timeline.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"
#include "tests/commands/record/recorded_story.h"
#include "tui/dashboard.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr tui::Size live_size{120, 40};
// A replay says in a line of its own what is shown.
constexpr tui::Size replay_size{120, 42};

/// What a live dashboard shows at the end of each second.
std::vector<std::vector<std::string>> live_frames(const RecordedStory& story, int length_s,
                                                  const std::string& view,
                                                  const char* key = nullptr) {
  tui::DashboardOptions options;
  options.settings.start.view = view;
  tui::Dashboard live(options, live_size, story.start);
  live.receive(story.start, router_peer,
               {"router", 1, story.start, SnapshotPart{1, 0, 1, story.at_sequence, story.state}});
  if (key != nullptr) live.press(story.start, tui::Key{key});
  std::vector<std::vector<std::string>> frames;
  frames.push_back(split(live.draw(story.start).to_text(), '\n'));
  auto next = story.news.begin();
  for (int s = 1; s <= length_s; ++s) {
    const Instant now = story.start + seconds(s);
    for (; next != story.news.end() && next->arrived <= now; ++next) {
      live.receive(next->arrived, publish_peer, next->envelope);
    }
    frames.push_back(split(live.draw(now).to_text(), '\n'));
  }
  return frames;
}

/// All but the title, the replay's own line, and the row of keys.
std::vector<std::string> body(const std::vector<std::string>& rows, std::size_t head) {
  return {rows.begin() + static_cast<std::ptrdiff_t>(head), rows.end() - 2};
}

/// The first row that is not the same, of both; "" when all are.
std::string difference(const std::vector<std::string>& replay,
                       const std::vector<std::string>& live) {
  const auto left = body(replay, 3);
  const auto right = body(live, 1);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] != right[i]) return "replay: " + left[i] + "\nlive:   " + right[i];
  }
  return left.size() == right.size() ? "" : "a frame is longer";
}

class ReplayedStory {
 public:
  explicit ReplayedStory(const RecordedStory& story, const std::string& view, bool ended = true)
      : files_(recording_of(story, ended)),
        source_(files_.file),
        reader_(*RecordingReader::open(source_, std::string_view(files_.journal),
                                       RecordingReader::Survey::always)),
        timeline_(reader_) {
    tui::DashboardOptions options;
    options.settings.start.view = view;
    options.replay.timeline = &timeline_;
    options.replay.title = "story";
    dashboard_ = std::make_unique<tui::Dashboard>(options, replay_size, Instant{});
  }
  std::vector<std::string> frame(int wall_s) {
    return split(dashboard_->draw(Instant(seconds(wall_s))).to_text(), '\n');
  }
  void press(int wall_s, const char* key) {
    dashboard_->press(Instant(seconds(wall_s)), tui::Key{key});
  }
  const ReplayTimeline& timeline() const { return timeline_; }

 private:
  RecordedFiles files_;
  TextSource source_;
  RecordingReader reader_;
  ReplayTimeline timeline_;
  std::unique_ptr<tui::Dashboard> dashboard_;
};

TEST(Replay, ShowsTheFramesThatALiveDashboardShowed) {
  constexpr int length_s = 130;
  const RecordedStory story = story_of(length_s);
  for (const char* view : {"fleet", "devices", "jobs", "routing", "power"}) {
    const auto live = live_frames(story, length_s, view);
    ReplayedStory replay(story, view);
    EXPECT_EQ(replay.timeline().last(), story.start + seconds(length_s));
    for (int s = 0; s <= length_s; ++s) {
      ASSERT_EQ(difference(replay.frame(s), live[static_cast<std::size_t>(s)]), "")
          << view << " at second " << s;
    }
    EXPECT_TRUE(replay.timeline().problem().ok()) << replay.timeline().problem().error().message;
  }
}

TEST(Replay, ShowsTheSameMomentHoweverItIsReached) {
  constexpr int length_s = 90;
  const RecordedStory story = story_of(length_s);
  const auto live = live_frames(story, length_s, "fleet");
  ReplayedStory replay(story, "fleet");
  replay.frame(80);
  for (int i = 0; i < 20; ++i) replay.press(80, "[");
  EXPECT_EQ(difference(replay.frame(80), live[60]), "") << "twenty steps back";
  replay.press(80, "]");
  EXPECT_EQ(difference(replay.frame(80), live[61]), "") << "and one on";
  replay.press(80, "}");
  EXPECT_EQ(difference(replay.frame(80), live[70]), "") << "the next alert";
  replay.press(80, "{");
  EXPECT_EQ(difference(replay.frame(80), live[50]), "") << "the one before";
}

/// A story with keyframes so often, recorded at so many times the wall's pace.
std::string recording_with_keyframes(const RecordedStory& story, double speed, int every_s) {
  RecordingWriter writer;
  std::string file = writer.begin({story.start, speed, "drover test", 7, {1, 2}}).file;
  file += writer.keyframe(story.start, story.state).file;
  Instant due = story.start + seconds(every_s);
  for (const RecordedMessage& recorded : story.news) {
    if (recorded.arrived > due) {
      file += writer.keyframe(due, story.state).file;
      due += seconds(every_s);
    }
    file += writer.add(recorded).file;
  }
  return file + writer.end().file;
}

TEST(Replay, ShowsLongCurvesAsALiveDashboardShowedThem) {
  constexpr int length_s = 1'500;
  const RecordedStory story = story_of(length_s);
  const auto live = live_frames(story, length_s, "power", "z");
  const std::string file = recording_with_keyframes(story, 1, 100);
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const ReplayTimeline timeline(*reader);
  ASSERT_GT(timeline.keyframe_before(timeline.last()), story.start + seconds(900))
      << "the model of the last moment knows nothing of the beginning";
  tui::DashboardOptions options;
  options.settings.start.view = "power";
  options.replay.timeline = &timeline;
  tui::Dashboard replay(options, replay_size, Instant{});
  replay.press(Instant{}, {"z"});
  for (const int s : {40, 700, 1'200, 1'201, length_s}) {
    const auto frame = split(replay.draw(Instant(seconds(s))).to_text(), '\n');
    ASSERT_EQ(difference(frame, live[static_cast<std::size_t>(s)]), "") << "at second " << s;
  }
  for (int back = 0; back < 3; ++back) replay.press(Instant(seconds(length_s)), {"["});
  const auto frame = split(replay.draw(Instant(seconds(length_s))).to_text(), '\n');
  EXPECT_EQ(difference(frame, live[length_s - 3]), "") << "three steps back";
}

TEST(Replay, ShowsTheSameMomentFarFromTheStart) {
  const RecordedStory story = story_of(130);
  // At a tenth of the pace a model reaches half a minute back, not five.
  const std::string file = recording_with_keyframes(story, 0.1, 10);
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const ReplayTimeline timeline(*reader);
  tui::DashboardOptions options;
  options.speed = 0.1;
  options.replay.timeline = &timeline;
  for (const char* view : {"fleet", "devices", "jobs", "routing", "power"}) {
    options.settings.start.view = view;
    options.replay.at.reset();
    options.replay.paused = false;
    tui::Dashboard played(options, replay_size, Instant{});
    options.replay.paused = true;
    for (int s = 0; s <= 125; ++s) {
      const auto frame = split(played.draw(Instant(seconds(10 * s))).to_text(), '\n');
      if (s % 5 != 0) continue;
      options.replay.at = story.start + seconds(s);
      tui::Dashboard jumped(options, replay_size, Instant{});
      const auto same = split(jumped.draw(Instant{}).to_text(), '\n');
      ASSERT_EQ(body(frame, 2), body(same, 2)) << view << " at second " << s;
      if (s < 10) continue;
      for (int back = 0; back < 3; ++back) jumped.press(Instant{}, {"["});
      for (int on = 0; on < 3; ++on) jumped.press(Instant{}, {"]"});
      ASSERT_EQ(body(split(jumped.draw(Instant{}).to_text(), '\n'), 2), body(same, 2))
          << view << " at second " << s << ", from behind";
    }
  }
}

TEST(Replay, OfAnUnclosedFileReachesTheEndOfItsJournal) {
  constexpr int length_s = 70;
  const RecordedStory story = story_of(length_s);
  const auto live = live_frames(story, length_s, "devices");
  ReplayedStory replay(story, "devices", false);
  EXPECT_EQ(replay.timeline().last(), story.start + seconds(length_s));
  EXPECT_EQ(difference(replay.frame(length_s), live.back()), "");
}

TEST(Replay, ReloadsTheStateWhereMessagesWereLost) {
  const RecordedStory story = story_of(20);
  RecordingWriter writer;
  std::string file = writer.begin({story.start, 1, "drover test", {}, {1, 2}}).file;
  const auto put = [&](const RecordingBytes& bytes) { file += bytes.file; };
  put(writer.keyframe(story.start, story.state));
  HostChanged newcomer;
  newcomer.registration.host = "late";
  newcomer.registration.groups = {{0, 0, 2, "l4", "", 72}};
  const Envelope late{"router", story.at_sequence + 40, story.start, newcomer};
  for (const RecordedMessage& recorded : story.news) {
    put(writer.add(recorded));
    if (recorded.arrived == story.start + seconds(10)) {
      put(writer.dropped({recorded.arrived, recorded.arrived, 3}));
      auto state = story.state;
      state.push_back(encode(late));
      put(writer.keyframe(recorded.arrived, state));
      break;
    }
  }
  const Envelope ending{"router", story.at_sequence + 41, story.start,
                        Event{Severity::info, "late", "still here"}};
  put(writer.add({story.start + seconds(20), ending, 0}));
  put(writer.end());
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const ReplayTimeline timeline(*reader);
  EXPECT_EQ(tui::model_snapshot_at(timeline, story.start + seconds(5)).model.find_host("late"),
            nullptr);
  tui::ModelSnapshot moment = tui::model_snapshot_at(timeline, timeline.first());
  tui::seek(timeline, moment, story.start + seconds(15));
  EXPECT_NE(moment.model.find_host("late"), nullptr);
}

TEST(Replay, ResumesFromAnOldPositionAfterHundredsOfOthers) {
  const RecordedStory story = story_of(60);
  ReplayedStory replay(story, "fleet");
  const ReplayTimeline& timeline = replay.timeline();
  const auto heard_from = [&](std::uint64_t position) {
    std::vector<std::pair<Instant, tui::StreamRecord::Kind>> heard;
    timeline.visit(position, story.start + seconds(60),
                   [&](const tui::StreamRecord& one) { heard.emplace_back(one.at, one.kind); });
    return heard;
  };
  tui::ModelSnapshot moment = tui::model_snapshot_at(timeline, story.start + seconds(20));
  const std::uint64_t early = moment.position;
  const auto expected = heard_from(early);
  ASSERT_GT(expected.size(), 100u);
  for (int step = 0; step < 1'000; ++step) {
    tui::seek(timeline, moment, story.start + seconds(20) + std::chrono::milliseconds(40 * step));
  }
  EXPECT_EQ(heard_from(early), expected);
}

TEST(Replay, ListsAlertsAsJumpTargets) {
  const RecordedStory story = story_of(60);
  ReplayedStory replay(story, "fleet");
  const auto& markers = replay.timeline().markers();
  ASSERT_EQ(markers.size(), 3U) << "raised at 10, 30 and 50 s";
  EXPECT_EQ(markers[1].at, story.start + seconds(30));
  EXPECT_EQ(markers[1].subject, "gpu-a/3");
}

// ---- The verbs ---------------------------------------------------------------------------------

class WrittenStory {
 public:
  explicit WrittenStory(int length_s, bool ended = true) : story_(story_of(length_s)) {
    const RecordedFiles files = recording_of(story_, ended);
    path_ = folder_.write("story.mcap", files.file);
    if (!ended) folder_.write("story.mcap.journal", files.journal);
  }
  const std::string& path() const { return path_; }
  const RecordedStory& story() const { return story_; }

 private:
  TestFolder folder_;
  RecordedStory story_;
  std::string path_;
};

TEST(ReplayVerbs, FrameAlwaysPrintsAMomentTheSameWay) {
  const WrittenStory written(60);
  const std::vector<std::string> words = {"frame",  "--replay", written.path(), "--at",  "42s",
                                          "--view", "devices",  "--size",       "120x42"};
  const ProcessResult once = run_drover(words);
  EXPECT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(run_drover(words).out, once.out);
  EXPECT_NE(once.out.find("REPLAY 02:38:43 UTC"), std::string::npos) << once.out;
  const auto live = live_frames(written.story(), 42, "devices");
  const ProcessResult unicode =
      run_shell("LC_ALL=C.UTF-8 drover frame --replay " + written.path() +
                " --at 2025-11-21T02:38:43Z --view devices --size 120x42");
  EXPECT_EQ(difference(split(unicode.out, '\n'), live.back()), "");
}

TEST(ReplayVerbs, ReportWhatIsWrongWithATimeOrAFile) {
  const WrittenStory written(20);
  const ProcessResult late = run_drover({"frame", "--replay", written.path(), "--at", "21s"});
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.err.find("the recording covers 2025-11-21T02:38:01.000Z to"), std::string::npos)
      << late.err;
  const ProcessResult word = run_drover({"frame", "--replay", written.path(), "--at", "noon"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_NE(word.err.find("--at: found \"noon\""), std::string::npos) << word.err;
  EXPECT_EQ(run_drover({"frame", "--at", "3s"}).exit_code, 2);
  EXPECT_EQ(run_drover({"frame", "--replay", "x", "--connect", "tcp://127.0.0.1:1"}).exit_code, 2);
  const TestFolder folder;
  const ProcessResult other =
      run_drover({"frame", "--replay", folder.write("text", "no recording\n")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("text: "), std::string::npos) << other.err;
  EXPECT_EQ(run_drover({"frame", "--replay", folder.file("absent")}).exit_code, 1);
}

TEST(ReplayVerbs, FrameReportsAnUnclosedFile) {
  const WrittenStory written(70, false);
  const ProcessResult ran = run_drover({"frame", "--replay", written.path(), "--at", "69s"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("was not closed properly"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("story.mcap, not closed"), std::string::npos) << ran.out;
}

TEST(ReplayVerbs, TopPlaysPausesStepsAndGoesToATime) {
  const WrittenStory written(60);
  PseudoTerminal top({"top", "--replay", written.path(), "--replay-speed", "10"}, 120, 41);
  EXPECT_TRUE(top.shows("x10 playing")) << top.screen();
  EXPECT_TRUE(top.shows("01:00 of 01:00")) << top.screen();
  EXPECT_TRUE(top.shows("end of the recording")) << top.screen();
  top.type("@02:38:11\n");
  EXPECT_TRUE(top.shows("00:10 of 01:00")) << top.screen();
  top.type("[");
  EXPECT_TRUE(top.shows("00:09 of 01:00")) << top.screen();
  top.type("}");
  EXPECT_TRUE(top.shows("00:10 of 01:00")) << top.screen();
  top.type("q");
  EXPECT_TRUE(top.ends());
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

}  // namespace
}  // namespace drover::commands
