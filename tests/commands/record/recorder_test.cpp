// A recorder and its thread: what is handed over stands in the file, and what cannot ends it in
// order.
#include "commands/record/recorder.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>

#include <poll.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "commands/record/recording_file.h"
#include "fleet/recording/repair.h"
#include "tests/commands/folder.h"
#include "tests/fleet/recording/small_recording.h"

namespace drover::commands {
namespace {

using namespace recording_test;

/// So many seconds of samples of four hosts, and rows of every kind.
std::vector<RecordedMessage> story_of(int length_s) {
  return messages_of({.hosts = 4, .devices = 8, .ticks = length_s});
}

RecorderOptions options_for(const std::string& path) {
  RecorderOptions options;
  options.path = path;
  options.disk_free_bytes_min = 0;
  return options;
}

OpenRecording read_back(const std::string& path) {
  auto recording = open_recording(path);
  if (!recording) throw std::runtime_error(recording.error().message);
  return std::move(*recording);
}

/// Closed cleanly, with nothing wrong in it.
testing::AssertionResult whole(const OpenRecording& recording) {
  if (!recording.reader.info().closed) return testing::AssertionFailure() << "not closed";
  const auto report = verify_recording(*recording.input.file);
  if (!report) return testing::AssertionFailure() << report.error().message;
  if (report->problems.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << report->problems.front();
}

/// `kept` is how `story` begins.
bool begins(const std::vector<RecordedMessage>& story, const std::vector<RecordedMessage>& kept) {
  return kept.size() <= story.size() && std::equal(kept.begin(), kept.end(), story.begin());
}

TEST(Recorder, KeepsAllThatFits) {
  const TestFolder folder;
  const std::vector<RecordedMessage> story = story_of(70);
  auto recorder = Recorder::open(options_for(folder.file("a.mcap")), start_of_test());
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  const std::vector<std::string> state = {encode({"router", 0, second(0), ReplicaChanged{}})};
  EXPECT_TRUE((*recorder)->record_keyframe(second(0), state));
  for (const RecordedMessage& news : story)
    EXPECT_TRUE((*recorder)->record(news.arrived, news.envelope));
  EXPECT_TRUE((*recorder)->end().ok());
  OpenRecording recording = read_back(folder.file("a.mcap"));
  EXPECT_TRUE(whole(recording));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.mcap.journal")));
  EXPECT_TRUE(all_of(recording.reader) == story);
  const auto keyframe = recording.reader.keyframe_before(never);
  ASSERT_TRUE(keyframe.ok() && keyframe->has_value());
  EXPECT_EQ((*keyframe)->messages, state);
}

TEST(Recorder, CountsDroppedMessagesAndRecordsTheCountInTheFile) {
  const TestFolder folder;
  RecorderOptions options = options_for(folder.file("a.mcap"));
  options.queue_bytes_max = 700;  // room for a row, and for no batch
  auto recorder = Recorder::open(options, start_of_test());
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  const std::vector<RecordedMessage> story = messages_of({.ticks = 5, .rows_per_tick = 0});
  for (const RecordedMessage& batch : story) {
    EXPECT_FALSE((*recorder)->record(batch.arrived, batch.envelope));
  }
  EXPECT_EQ((*recorder)->dropped(), story.size());
  EXPECT_TRUE((*recorder)->end().ok());
  OpenRecording recording = read_back(folder.file("a.mcap"));
  EXPECT_TRUE(whole(recording)) << "but not all that there was";
  EXPECT_EQ(recording.reader.info().dropped, story.size());
  const auto drops = recording.reader.drops();
  ASSERT_TRUE(drops.ok());
  EXPECT_EQ(
      *drops,
      (std::vector<DroppedMessages>{{story.front().arrived, story.back().arrived, story.size()}}));
}

TEST(Recorder, RefusesExistingFilesAndFilesOfAnotherRecorder) {
  const TestFolder folder;
  const std::string path = folder.write("a.mcap", "precious");
  const auto refused = Recorder::open(options_for(path), start_of_test());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--force"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
  RecorderOptions forced = options_for(path);
  forced.force = true;
  const auto first = Recorder::open(forced, start_of_test());
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = Recorder::open(forced, start_of_test());
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another recorder"), std::string::npos);
}

TEST(Recorder, RefusesAnExistingJournal) {
  const TestFolder folder;
  folder.write("a.mcap.journal", "what another recording has nowhere else");
  const auto refused = Recorder::open(options_for(folder.file("a.mcap")), start_of_test());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("a.mcap.journal: already exists; use --force"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.mcap.journal")), 39U);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.mcap")));
}

/// A limit on file sizes stands for a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

/// Waits for it, and not for ever.
bool ends_by_itself(const Recorder& recorder) {
  pollfd ended{recorder.ended_descriptor(), POLLIN, 0};
  return poll(&ended, 1, 40'000) == 1;
}

TEST(Recorder, StopsAndReportsItWhenTheDiskIsFull) {
  const TestFolder folder;
  const std::vector<RecordedMessage> story = story_of(70);
  auto recorder = Recorder::open(options_for(folder.file("a.mcap")), start_of_test());
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  {
    const FullDisk disk(40'000);
    for (const RecordedMessage& news : story) {
      EXPECT_TRUE((*recorder)->record(news.arrived, news.envelope)) << "nobody waits for it";
    }
    EXPECT_TRUE(ends_by_itself(**recorder));
  }
  EXPECT_NE((*recorder)->failure().error().message.find("File too large"), std::string::npos);
  EXPECT_FALSE((*recorder)->end().ok());
  const OpenRecording broken = read_back(folder.file("a.mcap"));
  std::string recovered;
  const auto report =
      recover_recording(*broken.input.file, broken.input.journal, [&](std::string_view bytes) {
        recovered += bytes;
        return Status();
      });
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->lost.empty()) << report->lost.front().why;
  TextSource source(recovered);
  RecordingReader reader = opened(source);
  const std::vector<RecordedMessage> kept = all_of(reader);
  EXPECT_GT(kept.size(), 10U);
  EXPECT_LT(kept.size(), story.size());
  EXPECT_TRUE(begins(story, kept));
}

TEST(Recorder, EndsGracefullyWhenTheRecordingIsFull) {
  const TestFolder folder;
  const std::vector<RecordedMessage> story = story_of(20);
  RecorderOptions options = options_for(folder.file("a.mcap"));
  options.messages_max = 10;
  auto recorder = Recorder::open(options, start_of_test());
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  for (const RecordedMessage& news : story)
    EXPECT_TRUE((*recorder)->record(news.arrived, news.envelope));
  EXPECT_TRUE(ends_by_itself(**recorder));
  const Status ended = (*recorder)->end();
  ASSERT_FALSE(ended.ok());
  EXPECT_NE(ended.error().message.find("is full with 10 messages"), std::string::npos)
      << ended.error().message;
  OpenRecording recording = read_back(folder.file("a.mcap"));
  EXPECT_TRUE(whole(recording));
  const std::vector<RecordedMessage> kept = all_of(recording.reader);
  EXPECT_EQ(kept.size(), 10U);
  EXPECT_TRUE(begins(story, kept));
}

TEST(Recorder, DoesNotStartOnAFullDisk) {
  const TestFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("full.mcap"));
  RecorderOptions options = options_for(folder.file("full.mcap"));
  options.force = true;
  const auto recorder = Recorder::open(options, start_of_test());
  ASSERT_FALSE(recorder.ok());
  EXPECT_NE(recorder.error().message.find("No space left"), std::string::npos)
      << recorder.error().message;
}

TEST(Recorder, DoesNotStartWithTooLittleDiskSpace) {
  const TestFolder folder;
  RecorderOptions options = options_for(folder.write("a.mcap", "precious"));
  options.force = true;
  options.disk_free_bytes_min = UINT64_MAX / 2;
  const auto recorder = Recorder::open(options, start_of_test());
  ASSERT_FALSE(recorder.ok());
  EXPECT_NE(recorder.error().message.find("--min-free"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.mcap")), 8U) << "nothing was written over";
}

}  // namespace
}  // namespace drover::commands
