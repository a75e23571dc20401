// A damaged recording through the dashboard: what is shown is right, or says that it is not known.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "commands/dashboard/replay_timeline.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/recording/index.h"
#include "fleet/recording/repair.h"
#include "fleet/recording/writer.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"
#include "tests/fleet/recording/damaged_recording.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr int recorded_s = 120;
constexpr int keyframe_every_s = 10;
constexpr Instant recording_start = tui::SampleFleet::start;

/// Every second a count goes up and a host falls silent or is heard again, so that no state is that
/// of a moment before.
std::string recording_of_changes(bool closed, std::string* journal = nullptr) {
  tui::SampleFleet fleet;
  RecordingOptions options;
  options.ticks = options.ticks_of_many = 15;
  RecordingWriter writer(options);
  std::string file;
  const auto take = [&](const RecordingBytes& bytes) {
    file += bytes.file;
    if (journal == nullptr) return;
    if (bytes.folded) journal->clear();
    *journal += bytes.journal;
  };
  const auto state = [&] {
    return std::get<SnapshotPart>(fleet.snapshot(1).front().body).messages;
  };
  take(writer.begin({recording_start, 1, "drover test", 7, {1, 2}}));
  take(writer.keyframe(recording_start, state()));
  for (int s = 1; s <= recorded_s; ++s) {
    const Instant at = recording_start + seconds(s);
    for (Envelope& batch : fleet.samples(s)) take(writer.add({at, std::move(batch), 0}));
    fleet.summary.finished = 1'000 + static_cast<std::uint64_t>(s);
    take(writer.add({at, fleet.published(fleet.summary, at), 0}));
    HostChanged& host = fleet.hosts[static_cast<std::size_t>(s) % 2];
    host.health = host.health == Health::ok ? Health::suspect : Health::ok;
    take(writer.add({at, fleet.published(host, at), 0}));
    if (s % keyframe_every_s == 0) take(writer.keyframe(at, state()));
  }
  if (closed) take(writer.end());
  return file;
}

/// What a person goes by: how much has finished, and which hosts are well.
std::string facts_of(const tui::Model& model) {
  std::string facts = model.summary() ? fmt::format("{} finished", model.summary()->finished) : "";
  std::map<std::string, Health> hosts;
  for (const tui::HostRow& host : model.hosts())
    hosts[host.reported.registration.host] = host.reported.health;
  for (const auto& [name, state] : hosts) facts += fmt::format(" {}={}", name, to_text(state));
  return facts;
}

/// Moments half-way between two messages, and what is known of each.
class Shown {
 public:
  explicit Shown(const ReplayTimeline& timeline) : timeline_(timeline) {}
  bool known(Instant at) const { return tui::gap_at(timeline_, at) == nullptr; }
  std::string facts(Instant at) const {
    return facts_of(tui::model_snapshot_at(timeline_, at).model);
  }

 private:
  const ReplayTimeline& timeline_;
};

std::vector<Instant> moments() {
  std::vector<Instant> moments;
  for (int s = 3; s < recorded_s; s += 9)
    moments.push_back(recording_start + seconds(s) + milliseconds(500));
  return moments;
}

/// One recording, closed and killed, and what is right of each moment of it.
struct Undamaged {
  std::string journal;
  std::string closed = recording_of_changes(true);
  std::string killed = recording_of_changes(false, &journal);
  TextSource source{closed};
  Result<RecordingReader> reader =
      RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ReplayTimeline timeline{*reader};
  Shown shown{timeline};
};

/// One of the two with one damage, in its file or in its journal.
struct Damaged {
  std::string file;
  std::optional<std::string> journal;
  std::string words;

  Damaged(const Undamaged& whole, RandomStream& random, double killed_share) {
    const bool of_killed = random.chance(killed_share);
    file = of_killed ? whole.killed : whole.closed;
    if (of_killed) journal = whole.journal;
    std::string& target = of_killed && random.chance(0.3) ? *journal : file;
    const recording_test::Damage damage = recording_test::draw_damage(random, target.size());
    target = recording_test::damaged(target, damage, random);
    words = fmt::format("{} of {} bytes at {}", to_text(damage.kind), damage.bytes, damage.at);
  }
  std::optional<std::string_view> beside() const { return journal; }
};

TEST(ReplayOfDamagedRecordings, NeverShowsAWrongFrameWithoutReportingIt) {
  const Undamaged whole;
  ASSERT_EQ(whole.timeline.gaps(), std::vector<tui::Gap>{});
  int unknown = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    RandomStream random(seed);
    const Damaged damaged(whole, random, 0.5);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, damaged.words));
    TextSource source(damaged.file);
    auto reader = RecordingReader::open(source, damaged.beside(), RecordingReader::Survey::always);
    if (!reader) continue;  // nothing is shown of it
    const ReplayTimeline timeline(*reader);
    EXPECT_TRUE(timeline.problem().ok()) << timeline.problem().error().message;
    const Shown shown(timeline);
    for (const Instant at : moments()) {
      if (at < timeline.first() || at > timeline.last()) continue;
      if (!shown.known(at)) ++unknown;
      if (shown.known(at)) {
        EXPECT_EQ(shown.facts(at), whole.shown.facts(at)) << to_iso8601(at);
      }
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(unknown, 50) << "of damages that hit nothing the test says nothing";
}

using Made = Result<std::string>;

Made recovered(const std::string& file, std::optional<std::string_view> journal) {
  std::string out;
  TextSource source(file);
  const auto done = recover_recording(source, journal, [&](std::string_view bytes) {
    out += bytes;
    return Status{};
  });
  return done ? Made(std::move(out)) : Made(done.error());
}

/// The middle of it, or all of it.
Made cut(const std::string& file, std::optional<std::string_view> journal, bool all) {
  const Instant from = all ? Instant::min() : recording_start + seconds(33);
  const Instant to = all ? Instant::max() : recording_start + seconds(88);
  std::string out;
  TextSource source(file);
  const auto done = cut_recording(source, journal, from, to, [&](std::string_view bytes) {
    out += bytes;
    return Status{};
  });
  return done ? Made(std::move(out)) : Made(done.error());
}

/// The moments of a copy that say they are not known; those that do not are as they were.
int unknown_moments(const std::string& copy, const Shown& whole) {
  TextSource source(copy);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  EXPECT_TRUE(reader.ok()) << reader.error().message;
  if (!reader) return 0;
  const ReplayTimeline timeline(*reader);
  EXPECT_TRUE(timeline.problem().ok()) << timeline.problem().error().message;
  const Shown shown(timeline);
  int unknown = 0;
  for (int s = 3; s < recorded_s; s += 18) {
    const Instant at = recording_start + seconds(s) + milliseconds(500);
    if (at < timeline.first() || at > timeline.last()) continue;
    if (!shown.known(at)) {
      ++unknown;
    } else {
      EXPECT_EQ(shown.facts(at), whole.facts(at)) << to_iso8601(at);
    }
  }
  return unknown;
}

TEST(ReplayOfDamagedRecordings, ShowsNoUnreportedWrongFrameFromRecoveredOrCutFiles) {
  const Undamaged whole;
  int unknown_recovered = 0, unknown_cut = 0;
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    RandomStream random(seed + 1'000);
    const Damaged damaged(whole, random, 0.6);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, damaged.words));
    if (const Made made = recovered(damaged.file, damaged.beside())) {
      unknown_recovered += unknown_moments(*made, whole.shown);
      if (const Made of_copy = cut(*made, {}, false)) unknown_moments(*of_copy, whole.shown);
    }
    // Of a closed file that is damaged where it is read nothing is made.
    if (const Made made = cut(damaged.file, damaged.beside(), seed % 2 == 0)) {
      unknown_cut += unknown_moments(*made, whole.shown);
    }
  }
  EXPECT_GT(unknown_recovered, 5) << "of damages that hit nothing the test says nothing";
  EXPECT_GT(unknown_cut, 2) << "of damages that hit nothing the test says nothing";
}

/// One flipped byte in the rows of 45 s to 60 s.
std::string with_damaged_rows(std::string file) {
  TextSource source(file);
  const auto index = recording::read_index(source);
  for (const recording::ChunkIndex& chunk : index->chunks) {
    const bool wanted = chunk.holds(RecordingChannel::state) &&
                        chunk.start <= recording_start + seconds(50) &&
                        chunk.end >= recording_start + seconds(50);
    if (wanted) file[chunk.offset + chunk.length / 2] ^= 1;
  }
  return file;
}

TEST(ReplayOfDamagedRecordings, ShowsNoStateWithoutAnIntactKeyframe) {
  std::string file = recording_of_changes(true);
  TextSource whole(file);
  const auto index = recording::read_index(whole);
  for (const recording::ChunkIndex& chunk : index->chunks) {
    if (chunk.holds(RecordingChannel::keyframes)) file[chunk.offset + chunk.length / 2] ^= 1;
  }
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ASSERT_TRUE(reader) << reader.error().message;
  const ReplayTimeline timeline(*reader);
  const Shown shown(timeline);
  EXPECT_FALSE(shown.known(timeline.first())) << "the first moment has no state either";
  for (const Instant at : moments()) EXPECT_FALSE(shown.known(at)) << to_iso8601(at);
}

TEST(ReplayOfDamagedRecordings, ShowsNoStateFromAnIntactJournalAlone) {
  std::string journal;
  std::string file = recording_of_changes(false, &journal);
  TextSource whole(file);
  const auto index = recording::read_index(whole);
  for (const recording::ChunkIndex& chunk : index->chunks) {
    file[chunk.offset + chunk.length / 2] ^= 1;
  }
  TextSource source(file);
  auto reader = RecordingReader::open(source, journal, RecordingReader::Survey::always);
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_EQ(reader->info().chunks, 0U);
  ASSERT_GT(reader->info().journaled, 0U);
  const ReplayTimeline timeline(*reader);
  const Shown shown(timeline);
  EXPECT_FALSE(shown.known(timeline.first()));
  EXPECT_FALSE(shown.known(timeline.last()));
}

TEST(ReplayOfDamagedRecordings, RestartsAtTheNextKeyframe) {
  const std::string file = with_damaged_rows(recording_of_changes(true));
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  ASSERT_TRUE(reader.ok());
  const ReplayTimeline timeline(*reader);
  ASSERT_EQ(timeline.gaps().size(), 1U);
  const tui::Gap gap = timeline.gaps().front();
  EXPECT_GE(gap.from, recording_start + seconds(40));
  EXPECT_LE(gap.end, recording_start + seconds(70));
  EXPECT_EQ(tui::model_snapshot_at(timeline, gap.end).model.summary()->finished,
            1'000U + static_cast<std::uint64_t>((gap.end - recording_start) / seconds(1)));
  // Inside of it the last keyframe is the best there is.
  EXPECT_EQ(
      tui::model_snapshot_at(timeline, recording_start + seconds(55)).model.summary()->finished,
      1'050U);
}

class DamagedFile : public testing::Test {
 protected:
  DamagedFile() : path_(folder_.write("day.mcap", with_damaged_rows(recording_of_changes(true)))) {}
  ProcessResult frame(const std::string& at, const std::string& size = "120x40") {
    return run_drover({"frame", "--replay", path_, "--at", at, "--size", size, "--ascii"});
  }
  TestFolder folder_;
  std::string path_;
};

TEST_F(DamagedFile, MomentsOutsideTheDamageAreShownWithTheFileAndTheFix) {
  for (const char* at : {"10s", "100s", "1m50s"}) {
    const ProcessResult ran = frame(at);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("day.mcap: 1 part is damaged"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("drover recording recover"), std::string::npos) << ran.err;
    EXPECT_NE(ran.out.find("xx"), std::string::npos) << "on the time line: " << ran.out;
    EXPECT_EQ(ran.out.find("NOT KNOWN"), std::string::npos) << ran.out;
  }
}

TEST_F(DamagedFile, MomentsInsideTheDamageAreReportedAsUnknown) {
  for (const char* size : {"80x24", "120x40", "200x60"}) {
    const ProcessResult ran = frame("55s", size);
    EXPECT_EQ(ran.exit_code, 3) << ran.err;
    EXPECT_NE(ran.out.find("DATA GAP: messages missing from 02:38:44 to 02:39:01"),
              std::string::npos)
        << ran.out;
    EXPECT_NE(ran.err.find("is unknown: messages are missing from"), std::string::npos) << ran.err;
  }
}

TEST_F(DamagedFile, ATerminalReportsTheDamageWhileItPlays) {
  PseudoTerminal top({"top", "--replay", path_, "--at", "20s"}, 160, 41);
  EXPECT_TRUE(top.shows("day.mcap, damaged, messages are missing from")) << top.screen();
  top.type("@55s\n");
  EXPECT_TRUE(top.shows("DATA GAP: messages missing from")) << top.screen();
  top.type("q");
  EXPECT_TRUE(top.ends());
  EXPECT_EQ(top.exit_code(), 0);
}

TEST(ReplayOfEmptyRecordings, ReportsThatThereAreNoMessages) {
  RecordingWriter writer;
  std::string file = writer.begin({recording_start, 1, "drover test", 7, {1, 2}}).file;
  file += writer.end().file;
  const TestFolder folder;
  const ProcessResult ran =
      run_drover({"frame", "--replay", folder.write("new.mcap", file), "--at", "5m"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("new.mcap: has no messages\n"), std::string::npos) << ran.err;
}

/// Cut within the first chunk, and with nothing of the journal.
class CutToNothing : public testing::Test {
 protected:
  CutToNothing() {
    const std::string file = recording_of_changes(false);
    TextSource source(file);
    const auto index = recording::read_index(source);
    path_ = folder_.write("cut.mcap", file.substr(0, index->chunks.front().offset + 500));
    copy_ = folder_.file("copy.mcap");
  }
  static void expect_said(const ProcessResult& ran, int exit_code, std::string_view words) {
    const std::string all = ran.out + ran.err;
    EXPECT_EQ(ran.exit_code, exit_code) << all;
    EXPECT_NE(all.find(words), std::string::npos) << words << " is not said in: " << all;
    EXPECT_EQ(all.find("1970"), std::string::npos) << all;
  }
  TestFolder folder_;
  std::string path_;
  std::string copy_;
};

TEST_F(CutToNothing, FrameNamesTheDamageAndTheFix) {
  const ProcessResult frame = run_drover({"frame", "--replay", path_});
  expect_said(frame, 1, "cut.mcap: has no readable messages");
  expect_said(frame, 1, "1 part is damaged");
  expect_said(frame, 1, "drover recording recover");
  expect_said(run_drover({"recording", "info", path_}), 0, "time         no message");
  const Json said = only_object(run_drover({"recording", "info", path_, "--json"}).out);
  EXPECT_TRUE(said["start"].is_null() && said["end"].is_null()) << said.dump();
  expect_said(run_drover({"recording", "verify", path_}), 3, "1 part is damaged");
  expect_said(run_drover({"recording", "cut", path_, "-o", copy_}), 3, "no message");
}

TEST_F(CutToNothing, RecoveredCopyReportsADataGap) {
  expect_said(run_drover({"recording", "recover", path_, "-o", copy_}), 3,
              "missing: at least 1 message");
  const ProcessResult frame =
      run_drover({"frame", "--replay", copy_, "--size", "120x40", "--ascii"});
  expect_said(frame, 3, "DATA GAP: messages missing from");
  expect_said(frame, 3, "02:38:0");
  expect_said(run_drover({"recording", "info", copy_}), 0, "2025-11-21T02:38:0");
  expect_said(run_drover({"recording", "verify", copy_}), 3, "1 message never reached the file");
}

}  // namespace
}  // namespace drover::commands
