// The bookmarks that a dashboard adds to a recording.
#include "commands/record/recorded_bookmarks.h"

#include <chrono>

#include <gtest/gtest.h>

#include "commands/record/record_options.h"
#include "commands/record/recording_file.h"
#include "tests/commands/folder.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

RecorderOptions recorder_at(const std::string& path) {
  RecorderOptions options;
  options.path = path;
  options.disk_free_bytes_min = 0;
  return options;
}

constexpr Instant recording_begin{std::chrono::hours(24 * 365 * 56)};

std::vector<std::string> texts_in(const std::string& path) {
  auto recording = open_recording(path);
  EXPECT_TRUE(recording.ok()) << recording.error().message;
  const auto marks = recording->reader.bookmarks();
  EXPECT_TRUE(marks.ok());
  std::vector<std::string> texts;
  for (const auto& mark : *marks) texts.push_back(std::get<Event>(mark.envelope.body).text);
  return texts;
}

TEST(RecordedBookmarks, AreRecordedAgainOnlyWithANewText) {
  const TestFolder folder;
  const std::string path = folder.file("a.mcap");
  auto recorder = Recorder::open(recorder_at(path), commands::recording_start(recording_begin, 1));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  RecordedBookmarks bookmarks(**recorder);
  for (const char* text : {"", "", "the peak", "the peak"}) {
    EXPECT_EQ(bookmarks.add(recording_begin + seconds(2), {recording_begin + seconds(1), text}),
              "");
  }
  EXPECT_EQ(bookmarks.add(recording_begin + seconds(3), {recording_begin + seconds(3), ""}), "");
  ASSERT_TRUE((*recorder)->end().ok());
  EXPECT_EQ(texts_in(path), (std::vector<std::string>{"", "the peak", ""}));
}

TEST(RecordedBookmarks, ThatComeBackFromTheRouterAreNotRecordedAgain) {
  const TestFolder folder;
  const std::string path = folder.file("a.mcap");
  auto recorder = Recorder::open(recorder_at(path), commands::recording_start(recording_begin, 1));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  RecordedBookmarks bookmarks(**recorder);
  const Instant at = recording_begin + seconds(1);
  EXPECT_EQ(bookmarks.add(at, {at, "draft"}), "");
  EXPECT_EQ(bookmarks.add(at, {at, "text"}), "");
  bookmarks.take(at, {at, "draft"});
  bookmarks.take(at, {at, "text"});
  bookmarks.take(at, {at, "another's text"});
  bookmarks.take(at, {at, "another's text"});
  bookmarks.take_missed(at, {at, "draft"});
  bookmarks.take_missed(at, {at + seconds(1), "missed"});
  ASSERT_TRUE((*recorder)->end().ok());
  EXPECT_EQ(texts_in(path),
            (std::vector<std::string>{"draft", "text", "another's text", "missed"}));
}

TEST(RecordedBookmarks, AreLimited) {
  const TestFolder folder;
  auto recorder = Recorder::open(recorder_at(folder.file("a.mcap")),
                                 commands::recording_start(recording_begin, 1));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  RecordedBookmarks bookmarks(**recorder);
  for (std::size_t i = 0; i < recorded_moments_max; ++i) {
    bookmarks.take(recording_begin, {recording_begin + Duration(i), ""});
  }
  EXPECT_EQ(bookmarks.add(recording_begin, {recording_begin + seconds(1), ""}),
            "the bookmark is not recorded: the recording has 10000 of them");
  EXPECT_EQ(bookmarks.add(recording_begin, {recording_begin, "the peak"}), "") << "a new text";
}

TEST(RecordedBookmarks, ThatDoNotFitAreToldOf) {
  const TestFolder folder;
  RecorderOptions options = recorder_at(folder.file("a.mcap"));
  options.queue_bytes_max = 0;
  auto recorder = Recorder::open(options, commands::recording_start(recording_begin, 1));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  RecordedBookmarks bookmarks(**recorder);
  for (int tries = 0; tries < 2; ++tries) {
    EXPECT_EQ(bookmarks.add(recording_begin, {recording_begin, "the peak"}),
              "the bookmark is not recorded: the disk is too slow; try again");
  }
}

}  // namespace
}  // namespace drover::commands
