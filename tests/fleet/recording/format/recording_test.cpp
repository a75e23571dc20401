#include "fleet/recording/format/recording.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fleet/recording/format/column.h"
#include "fleet/recording/index.h"
#include "fleet/recording/reader.h"
#include "fleet/recording/repair.h"
#include "fleet/recording/writer.h"
#include "tests/fleet/recording/small_recording.h"

namespace drover {
namespace {

using namespace recording_test;

TEST(Recording, ReturnsEveryMessageUnchangedAndInOrder) {
  const std::vector<RecordedMessage> messages = messages_of({});
  const std::string file = closed_file(messages);
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(all_of(reader) == messages);
  EXPECT_TRUE(reader.info().closed);
  EXPECT_EQ(reader.info().start, start_of_test());
  EXPECT_EQ(reader.info().sample_batches, 60u);
  EXPECT_EQ(reader.info().sample_values, 60u * 4 * 5);
  EXPECT_TRUE(reader.info().lost.empty());
}

TEST(Recording, KeepsTheBytesOfRowsAsTheyCame) {
  // A field that this version does not know.
  const std::string event = "\x96\x01\x23\xa6router\x07\x05\x82\xa4text\xa2hi\xa9invention\xc3";
  RecordingWriter writer;
  std::string file = writer.begin(start_of_test()).file;
  ASSERT_TRUE(writer.add(second(1), event).ok());
  file += writer.fold().file;
  file += writer.end().file;
  TextSource source(file);
  RecordingReader reader = opened(source);
  const auto messages = all_of(reader);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(std::get<Event>(messages[0].envelope.body).text, "hi");
  const auto index = recording::read_index(source);
  const auto records = recording::load_records(source, index->chunks.at(0));
  EXPECT_NE(records->find(event), std::string::npos);
}

TEST(Recording, RefusesMessagesThatNoRouterPublishes) {
  RecordingWriter writer;
  writer.begin(start_of_test());
  const auto join = writer.add(second(1), encode({"h1", 1, second(1), Join{}}));
  ASSERT_FALSE(join.ok());
  EXPECT_EQ(join.error().message, "found Join, expected a message that a router publishes");
  EXPECT_FALSE(writer.add(second(1), "nonsense").ok());
}

TEST(Recording, KeepsMetricsThatThisVersionDoesNotKnow) {
  SampleBatch batch{"h1", {3, 1}, {{200, 8, -18, std::string(16, '\x80')}, {5, 2, 3, "abcd"}}};
  const RecordedMessage one{second(1), {"agent", 9, second(0), batch}, 1};
  const std::string file = closed_file({one});
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(all_of(reader) == std::vector<RecordedMessage>{one});
}

TEST(Recording, SplitsLargeFleetsIntoBlocksOfAThousandDevices) {
  const std::vector<RecordedMessage> messages =
      messages_of({.hosts = 30, .devices = 100, .ticks = 3, .rows_per_tick = 0});
  const std::string file = closed_file(messages);
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(all_of(reader) == messages);
  EXPECT_EQ(reader.info().channels.at(0).channel, RecordingChannel::samples);
  EXPECT_EQ(reader.info().channels.at(0).messages, 3u);
}

TEST(Recording, ReadsAnyStretchOfTime) {
  const std::vector<RecordedMessage> messages = messages_of({});
  const std::string file = closed_file(messages);
  TextSource source(file);
  RecordingReader reader = opened(source);
  std::vector<RecordedMessage> joined;
  for (double at = 0; at < 21; at += 0.37) {
    const auto part = reader.read(second(at), second(at + 0.37));
    ASSERT_TRUE(part.ok());
    std::vector<RecordedMessage> expected;
    for (const RecordedMessage& one : messages) {
      if (second(at) <= one.arrived && one.arrived < second(at + 0.37)) expected.push_back(one);
    }
    EXPECT_TRUE(*part == expected) << at;
    // The same in two halves.
    const auto samples = reader.read_samples(second(at), second(at + 0.37));
    const auto rows = reader.read_rows(second(at), second(at + 0.37));
    ASSERT_TRUE(samples.ok() && rows.ok());
    const auto is_sample = [](const RecordedMessage& one) {
      return std::holds_alternative<SampleBatch>(one.envelope.body);
    };
    const auto others = std::stable_partition(expected.begin(), expected.end(), is_sample);
    EXPECT_TRUE(*samples == std::vector<RecordedMessage>(expected.begin(), others)) << at;
    EXPECT_TRUE(*rows == std::vector<RecordedMessage>(others, expected.end())) << at;
  }
  EXPECT_EQ(reader.first(), messages.front().arrived);
  EXPECT_EQ(reader.last(), messages.back().arrived);
}

TEST(Recording, ToleratesTimeGoingBackwardAndReportsIt) {
  std::vector<RecordedMessage> messages = messages_of({});
  for (std::size_t i = 40; i < messages.size(); ++i) messages[i].arrived -= std::chrono::seconds(9);
  const std::string file = closed_file(messages);
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(all_of(reader) == messages);
  EXPECT_EQ(reader.info().out_of_order, 1u);
}

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read(std::uint64_t offset, std::span<char> out) override {
    ++reads;
    return bytes_.read(offset, out);
  }
  int reads = 0;

 private:
  TextSource bytes_;
};

TEST(Recording, OpensInAFixedNumberOfReads) {
  for (const int ticks : {10, 200}) {
    const std::string file = closed_file(messages_of({.ticks = ticks}));
    CountingSource source(file);
    ASSERT_TRUE(RecordingReader::open(source).ok());
    EXPECT_EQ(source.reads, 4) << ticks;
  }
}

TEST(Recording, KeyframesAreFoundByTime) {
  const std::vector<RecordedMessage> messages = messages_of({});
  RecordingWriter writer(small_blocks());
  std::string file = writer.begin(start_of_test()).file;
  // Parts are cut at 256 KiB: this one has several.
  const std::vector<std::string> state(40, std::string(30'000, 'x'));
  file += writer.keyframe(second(-1), {"first"}).file;
  for (const RecordedMessage& one : messages) {
    file += writer.add(one).file;
    if (one.ordinal == 50) file += writer.keyframe(one.arrived, state).file;
  }
  file += writer.end().file;
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_EQ(reader.info().keyframes, 2u);
  auto keyframe = reader.keyframe_before(second(3));
  ASSERT_TRUE(keyframe.ok() && *keyframe);
  EXPECT_EQ((*keyframe)->messages, std::vector<std::string>{"first"});
  EXPECT_EQ((*keyframe)->ordinal, 0u);
  keyframe = reader.keyframe_before(second(19));
  ASSERT_TRUE(keyframe.ok() && *keyframe);
  EXPECT_EQ((*keyframe)->messages, state);
  EXPECT_EQ((*keyframe)->ordinal, 50u);
  keyframe = reader.keyframe_before(second(-2));
  ASSERT_TRUE(keyframe.ok());
  EXPECT_FALSE(keyframe->has_value());
  EXPECT_TRUE(all_of(reader) == messages);
}

TEST(Recording, ListsBookmarksAlertsAndDrops) {
  RecordingWriter writer;
  std::string file = writer.begin(start_of_test()).file;
  const RecordedMessage alert{
      second(1),
      {"router", 1, second(1), Alert{"hot", "h1/0", Severity::critical, true, second(1), "95 C"}},
      1};
  file += writer.add(alert).file;
  file += writer.mark(second(2), "look here").file;
  const DroppedMessages dropped{second(3), second(4), 17};
  file += writer.dropped(dropped).file;
  file += writer.end().file;
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(*reader.alerts() == std::vector<RecordedMessage>{alert});
  EXPECT_TRUE(reader.events()->empty()) << "what somebody marked is none";
  const auto marks = reader.bookmarks();
  ASSERT_TRUE(marks.ok() && marks->size() == 1);
  EXPECT_EQ(marks->front().arrived, second(2));
  EXPECT_EQ(std::get<Event>(marks->front().envelope.body).text, "look here");
  EXPECT_EQ(*reader.drops(), std::vector<DroppedMessages>{dropped});
  EXPECT_EQ(reader.info().dropped, 17u);
  EXPECT_EQ(all_of(reader).size(), 1u);
}

TEST(Recording, PassesVerificationWhenIntact) {
  const std::string file = closed_file(messages_of({}));
  TextSource source(file);
  const auto report = verify_recording(source);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->problems, std::vector<std::string>{});
  EXPECT_EQ(report->messages, 100u + 1);  // and the dictionary
  EXPECT_EQ(report->sample_values, 1200u);
}

TEST(Recording, CutsOutATimeRangeWithItsState) {
  const std::vector<RecordedMessage> messages = messages_of({.ticks = 200});
  RecordingWriter writer(small_blocks());
  std::string file = writer.begin(start_of_test()).file;
  for (const RecordedMessage& one : messages) {
    file += writer.add(one).file;
    if (one.ordinal == 250) file += writer.keyframe(one.arrived, {"the state"}).file;
    if (one.ordinal == 350) file += writer.mark(one.arrived, "in it").file;
  }
  file += writer.end().file;
  TextSource source(file);
  std::string part;
  const auto report =
      cut_recording(source, {}, second(60), second(130), [&](std::string_view bytes) {
        part += bytes;
        return Status{};
      });
  ASSERT_TRUE(report.ok()) << report.error().message;
  TextSource part_source(part);
  EXPECT_EQ(verify_recording(part_source)->problems, std::vector<std::string>{});
  RecordingReader reader = opened(part_source);
  std::vector<RecordedMessage> expected;
  for (const RecordedMessage& one : messages) {
    const bool row = !std::holds_alternative<SampleBatch>(one.envelope.body);
    const Instant from = row ? messages[249].arrived : second(60);
    if (one.arrived < from || one.arrived >= second(130) || one.ordinal <= 250) continue;
    expected.push_back(one);
    expected.back().ordinal = 0;
  }
  std::vector<RecordedMessage> found = all_of(reader);
  for (RecordedMessage& one : found) one.ordinal = 0;
  EXPECT_TRUE(found == expected);
  EXPECT_EQ(report->messages, expected.size());
  EXPECT_EQ(reader.bookmarks()->size(), 1u);
  const auto keyframe = reader.keyframe_before(second(60));
  ASSERT_TRUE(keyframe.ok() && *keyframe);
  EXPECT_EQ((*keyframe)->messages, std::vector<std::string>{"the state"});
}

TEST(RecordingColumn, RoundTripsAnyIntegers) {
  RandomStream random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<recording::SeriesRun> runs;
    std::vector<std::int64_t> values;
    for (std::uint64_t i = random.below(5); i > 0; --i) {
      runs.push_back({static_cast<std::uint32_t>(random.below(4)),
                      static_cast<std::uint32_t>(random.below(9))});
      const std::uint64_t shift = random.below(64);
      for (std::uint32_t k = 0; k < runs.back().count * runs.back().length; ++k) {
        values.push_back(static_cast<std::int64_t>(random.bits()) >> shift);
      }
    }
    const recording::PackedColumn column = recording::pack_column(values, runs, 3);
    std::vector<std::int64_t> back(values.size());
    ASSERT_TRUE(recording::unpack_column(column, runs, back).ok());
    EXPECT_EQ(back, values);
  }
}

TEST(Recording, ACutReportsDropsWhereTheyOccurred) {
  const std::vector<RecordedMessage> messages = messages_of({.ticks = 60});
  RecordingWriter writer(small_blocks());
  std::string file = writer.begin(start_of_test()).file;
  for (const RecordedMessage& one : messages) {
    file += writer.add(one).file;
    if (one.ordinal == 50) file += writer.dropped({second(5), one.arrived, 3}).file;
    if (one.ordinal == 150) {
      file += writer.mark(one.arrived, "look here").file;
      file += writer.dropped({second(29), one.arrived, 4}).file;
    }
  }
  file += writer.dropped({second(35), second(59.9), 5}).file;
  file += writer.end().file;
  TextSource source(file);
  std::string part;
  const auto report = cut_recording(source, {}, second(8), second(40), [&](std::string_view bytes) {
    part += bytes;
    return Status{};
  });
  ASSERT_TRUE(report.ok()) << report.error().message;
  TextSource part_source(part);
  EXPECT_EQ(verify_recording(part_source)->problems, std::vector<std::string>{});
  RecordingReader reader = opened(part_source);
  EXPECT_EQ(reader.info().out_of_order, 0u);
  EXPECT_EQ(reader.info().dropped, 12u);
  EXPECT_EQ(reader.first(), report->from) << "no drop comes before the first message";
  const std::vector<DroppedMessages> expected = {{second(8), messages[49].arrived, 3},
                                                 {second(29), messages[149].arrived, 4},
                                                 {second(35), second(40) - Duration{1}, 5}};
  EXPECT_EQ(*reader.drops(), expected);
  EXPECT_LT(reader.last(), second(40));
}

}  // namespace
}  // namespace drover
