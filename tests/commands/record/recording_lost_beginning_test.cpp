// Recordings of which nobody knows any more how fast their time went, or which journal is theirs:
// every verb says so, of the file and of what is made of it.
#include <gtest/gtest.h>

#include <utility>

#include <fmt/format.h>

#include "fleet/recording/format/file.h"
#include "fleet/recording/index.h"
#include "fleet/recording/writer.h"
#include "tests/commands/program.h"
#include "tests/commands/record/recorded_story.h"

namespace drover::commands {
namespace {

constexpr double speed = 10;

RecordedFiles fast_recording(bool ended, int length_s, const Incarnation& identity) {
  const RecordedStory story = story_of(length_s);
  RecordingWriter writer;
  RecordedFiles files;
  const auto take = [&](const RecordingBytes& bytes) {
    files.file += bytes.file;
    if (bytes.folded) files.journal.clear();
    files.journal += bytes.journal;
  };
  take(writer.begin({story.start, speed, "drover test", 7, identity}));
  take(writer.keyframe(story.start, story.state));
  for (const RecordedMessage& recorded : story.news) take(writer.add(recorded));
  if (ended) take(writer.end());
  return files;
}

/// Where what the recording says of itself stands: at its beginning, and at the end of a closed
/// one.
std::vector<std::size_t> metadata_of(const std::string& file) {
  std::vector<std::size_t> found;
  const std::string name = recording::Bytes().text(recording::start_name).take();
  for (auto at = file.find(name); at != std::string::npos; at = file.find(name, at + 1)) {
    const auto opcode = static_cast<recording::Opcode>(file[at - recording::head_bytes]);
    if (opcode == recording::Opcode::metadata) found.push_back(at - recording::head_bytes);
  }
  return found;
}

class LostBeginning : public testing::Test {
 protected:
  LostBeginning() {
    for (const bool ended : {true, false}) {
      RecordedFiles files = fast_recording(ended, length_s, {1, 2});
      const std::string name = ended ? "closed" : "killed";
      write("whole_" + name, files, !ended);
      for (const std::size_t at : metadata_of(files.file)) files.file[at + 60] ^= 1;
      write(name, files, !ended);
    }
  }
  void write(const std::string& name, const RecordedFiles& files, bool journal) {
    folder_.write(name + ".mcap", files.file);
    if (journal) folder_.write(name + ".mcap.journal", files.journal);
  }
  std::string file(const std::string& name) { return folder_.file(name + ".mcap"); }
  static ProcessResult recording(std::vector<std::string> words) {
    words.insert(words.begin(), "recording");
    return run_drover(words);
  }
  static void expect_said(const ProcessResult& ran, int exit_code, std::string_view words) {
    const std::string all = ran.out + ran.err;
    EXPECT_EQ(ran.exit_code, exit_code) << all;
    EXPECT_NE(all.find(words), std::string::npos) << words << " is not said in: " << all;
  }
  /// In every verb that reads one.
  void expect_speed_unknown(const std::string& name) {
    SCOPED_TRACE(name);
    constexpr const char* said = "speed of fleet time is unknown";
    const ProcessResult info = recording({"info", file(name)});
    expect_said(info, 0, said);
    expect_said(info, 0, "at unknown speed");
    expect_said(recording({"verify", file(name)}), 3, said);
    const ProcessResult frame =
        run_drover({"frame", "--replay", file(name), "--at", "20s", "--ascii"});
    expect_said(frame, 3, said);
    expect_said(frame, 3, "mcap, speed unknown");
    EXPECT_EQ(frame.out.find(" UTC"), std::string::npos) << frame.out;
  }

  static constexpr int length_s = 100;
  TestFolder folder_;
};

TEST_F(LostBeginning, EveryCommandReportsThatTheSpeedIsUnknown) {
  for (const char* name : {"closed", "killed"}) {
    expect_speed_unknown(name);
    const Json info = only_object(recording({"info", file(name), "--json"}).out);
    EXPECT_TRUE(info["speed"].is_null()) << info.dump();
    const Json verified = only_object(recording({"verify", file(name), "--json"}).out);
    EXPECT_EQ(verified["complete"], Json(false)) << verified.dump();
    expect_said(recording({"export", file(name)}), 3, "speed of fleet time is unknown");
  }
}

TEST_F(LostBeginning, DerivedFilesAlsoReportTheUnknownSpeed) {
  for (const std::string name : {"closed", "killed"}) {
    const std::string copy = name + "_copy", part = name + "_part", again = name + "_again";
    expect_said(recording({"recover", file(name), "-o", file(copy)}), 3,
                "lost: the speed of fleet time");
    expect_speed_unknown(copy);
    expect_said(recording({"cut", file(name), "--from", "10s", "-o", file(part)}), 3, "speed");
    expect_speed_unknown(part);
    expect_said(recording({"recover", file(copy), "-o", file(again)}), 3,
                "lost: the speed of fleet time");
    EXPECT_EQ(recording({"export", file(copy)}).out,
              recording({"export", file("whole_" + name)}).out);
  }
}

TEST_F(LostBeginning, AFlippedHeaderLengthLosesNeitherSpeedNorJournal) {
  RecordedFiles files = fast_recording(false, length_s, {1, 2});
  files.file[9] ^= 1;  // of the Header
  write("flipped", files, true);
  const Json info = only_object(recording({"info", file("flipped"), "--json"}).out);
  EXPECT_EQ(info["speed"].number(), speed) << info.dump();
  const ProcessResult frame =
      run_drover({"frame", "--replay", file("flipped"), "--at", "20s", "--ascii"});
  EXPECT_EQ(frame.exit_code, 0) << frame.err;
  EXPECT_NE(frame.out.find("10x fleet time"), std::string::npos) << frame.out;
  const ProcessResult recovered = recording({"recover", file("flipped"), "-o", file("copy")});
  EXPECT_EQ(recovered.exit_code, 3) << recovered.out;
  EXPECT_EQ(recording({"verify", file("copy")}).exit_code, 0) << "no message was lost";
  EXPECT_EQ(recording({"export", file("copy")}).out,
            recording({"export", file("whole_killed")}).out);
}

using MissingChunk = LostBeginning;

TEST_F(MissingChunk, ThatIsGoneEntirelyIsCountedByMissingPositions) {
  RecordedFiles files = fast_recording(false, length_s, {1, 2});
  TextSource source(files.file);
  const auto index = recording::read_index(source);
  ASSERT_TRUE(index.ok() && index->chunks.size() >= 3);
  const std::uint64_t from = index->chunks[1].offset;
  files.file.erase(from, index->chunks[2].offset - from);
  write("short", files, true);
  for (const ProcessResult& ran : {recording({"cut", file("short"), "-o", file("part")}),
                                   recording({"export", file("short")})}) {
    expect_said(ran, 3, "messages are missing");
  }
  expect_said(recording({"recover", file("short"), "-o", file("copy")}), 3, "missing: at least");
  EXPECT_EQ(recording({"verify", file("copy")}).exit_code, 3);
  const ProcessResult again = recording({"recover", file("copy"), "-o", file("again")});
  EXPECT_EQ(again.exit_code, 0) << "the copy says what is missing: " << again.out << again.err;
}

TEST_F(LostBeginning, AnotherRecordingsJournalIsIgnoredAndReported) {
  const RecordedFiles another = fast_recording(false, 130, {9, 9});
  ASSERT_GT(another.journal.size(), 1000U);
  folder_.write("killed.mcap.journal", another.journal);
  const std::string said = "killed.mcap.journal was ignored";
  expect_said(recording({"info", file("killed")}), 0, said);
  expect_said(recording({"verify", file("killed")}), 3, said);
  expect_said(run_drover({"frame", "--replay", file("killed"), "--at", "20s"}), 3, said);
  expect_said(recording({"recover", file("killed"), "-o", file("copy")}), 3, said);
  expect_said(recording({"recover", file("killed"), "-o", file("copy"), "--force"}), 3,
              "0 messages from the journal");
  expect_said(recording({"export", file("killed")}), 3, said);
}

}  // namespace
}  // namespace drover::commands
