// From the published stream to a file: what a recorder makes of news and snapshots that come over
// two connections.
#include "commands/record/stream_recorder.h"

#include <gtest/gtest.h>

#include "commands/record/recording_file.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "tests/commands/folder.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr Instant start{seconds(1'700'000'000)};

Envelope replica(std::uint64_t sequence, std::uint32_t number) {
  ReplicaChanged changed;
  changed.replica.id = {"h", number};
  return {"router", sequence, start, changed};
}

Envelope alert(std::uint64_t sequence) {
  return {"router", sequence, start,
          Alert{"throttling", "h/0", Severity::warning, true, start, "held by its cap"}};
}

Envelope bookmark(std::uint64_t sequence, Instant marks, const std::string& text,
                  Instant at = start) {
  const Event event{Severity::info, "bookmark", text + " (by ann@node-7)", Bookmark{marks, text}};
  return {"router", sequence, at, event};
}

class StreamRecording : public testing::Test {
 protected:
  void SetUp() override {
    RecorderOptions options;
    options.path = path();
    options.disk_free_bytes_min = 0;
    auto opened = Recorder::open(options, {start, 1, "test", {}, {1, 2}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    recorder_ = std::move(*opened);
    stream_.emplace(*recorder_, seconds(1));
  }
  std::string path() const { return folder_.file("a.mcap"); }
  void hear(Envelope envelope) { stream_->receive(start, publish_peer, std::move(envelope)); }
  void hear_snapshot(std::uint64_t at_sequence, std::vector<std::string> messages) {
    ASSERT_TRUE(stream_->take_snapshot_request(start));
    const SnapshotPart part{at_sequence, 0, 1, at_sequence, std::move(messages)};
    stream_->receive(start, router_peer, {"router", 1, start, part});
  }
  OpenRecording end() {
    EXPECT_TRUE(recorder_->end().ok());
    auto opened = open_recording(path());
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }

  TestFolder folder_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<StreamRecorder> stream_;
};

TEST_F(StreamRecording, KeepsUpdatesThatASnapshotOvertookBeforeTheKeyframe) {
  hear(replica(5, 1));
  hear_snapshot(7, {encode(replica(0, 1))});
  hear(replica(6, 2));
  hear(alert(7));
  hear(replica(8, 3));
  OpenRecording recording = end();
  const auto rows = recording.reader.read_rows(Instant::min(), never);
  ASSERT_TRUE(rows.ok());
  std::vector<std::uint64_t> sequences;
  for (const RecordedMessage& row : *rows) sequences.push_back(row.envelope.sequence);
  EXPECT_EQ(sequences, (std::vector<std::uint64_t>{5, 6, 7, 8}));
  const auto keyframe = recording.reader.keyframe_before(never);
  ASSERT_TRUE(keyframe.ok() && keyframe->has_value());
  EXPECT_EQ((*keyframe)->ordinal, 3U) << "5, 6 and 7 stand before it";
  EXPECT_EQ(recording.reader.info().dropped, 0U);
}

TEST_F(StreamRecording, CountsUndecodableMessagesInASnapshot) {
  hear_snapshot(7, {encode(replica(0, 1)), "rubbish"});
  OpenRecording recording = end();
  const auto keyframe = recording.reader.keyframe_before(never);
  ASSERT_TRUE(keyframe.ok() && keyframe->has_value());
  EXPECT_EQ((*keyframe)->messages, (std::vector<std::string>{encode(replica(0, 1))}));
  EXPECT_EQ(recording.reader.info().dropped, 1U);
  EXPECT_EQ(recorder_->lost(), 1U);
}

TEST_F(StreamRecording, MarksWhatIsBookmarkedOnceAndKeepsTheEvent) {
  hear(bookmark(5, start - seconds(9), "the peak"));
  hear(bookmark(5, start - seconds(9), "the peak"));
  EXPECT_EQ(stream_->mark(start, {start, "mine"}), "");
  hear(bookmark(6, start, "mine"));
  hear(bookmark(7, start - seconds(9), "the true peak"));
  // A keyframe repeats the last events.
  hear_snapshot(
      7, {encode(bookmark(7, start - seconds(9), "the peak")), encode(bookmark(7, start, "mine")),
          encode(bookmark(7, start - seconds(9), "the true peak"))});
  OpenRecording recording = end();
  const auto marks = recording.reader.bookmarks();
  ASSERT_TRUE(marks.ok() && marks->size() == 3);
  EXPECT_EQ(marks->at(0).envelope.at, start - seconds(9));
  EXPECT_EQ(std::get<Event>(marks->at(0).envelope.body).text, "the peak");
  EXPECT_EQ(std::get<Event>(marks->at(1).envelope.body).text, "mine");
  EXPECT_EQ(std::get<Event>(marks->at(2).envelope.body).text, "the true peak");
  const auto events = recording.reader.events();
  ASSERT_TRUE(events.ok() && events->size() == 3);
  EXPECT_EQ(std::get<Event>(events->at(0).envelope.body).text, "the peak (by ann@node-7)");
}

TEST_F(StreamRecording, FindsABookmarkWhoseMessageWasLostInTheNextKeyframe) {
  hear(replica(5, 1));
  hear(replica(7, 2));
  hear_snapshot(7, {encode(bookmark(7, start - seconds(9), "before", start - seconds(1))),
                    encode(bookmark(7, start, "draft")), encode(bookmark(7, start, "lost"))});
  OpenRecording recording = end();
  const auto marks = recording.reader.bookmarks();
  ASSERT_TRUE(marks.ok() && marks->size() == 1);
  EXPECT_EQ(std::get<Event>(marks->at(0).envelope.body).text, "lost");
}

}  // namespace
}  // namespace drover::commands
