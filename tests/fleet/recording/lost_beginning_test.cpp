// Recordings whose first bytes are damaged: what they say of themselves is looked for, and what is
// not found is not guessed.
#include <algorithm>

#include <gtest/gtest.h>

#include "fleet/recording/chunks.h"
#include "fleet/recording/format/file.h"
#include "fleet/recording/format/journal.h"
#include "fleet/recording/repair.h"
#include "tests/fleet/recording/small_recording.h"

namespace drover {
namespace {

using namespace recording_test;

constexpr std::size_t header_at = 8;

std::size_t length_at(const std::string& file, std::size_t at) {
  return recording::Cursor(std::string_view(file).substr(at + 1)).u64();
}

std::size_t metadata_at(const std::string& file) {
  return header_at + recording::head_bytes + length_at(file, header_at);
}

/// Neither copy of what stands there can be read.
std::string without_metadata(std::string file) {
  std::string_view name = recording::start_name;
  for (auto at = file.find(name); at != std::string::npos; at = file.find(name, at + 1)) {
    const bool metadata = at > 13 && file[at - 13] == static_cast<char>(12);
    if (metadata) file[at + name.size() + 30] ^= 1;
  }
  return file;
}

TEST(RecordingBeginning, ADamagedHeaderDoesNotHideIntactMetadataAfterIt) {
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  const auto [writer, files] = recorded(messages, small_blocks(4));
  for (std::size_t at = 0; at < metadata_at(files.file); ++at) {
    std::string file = files.file;
    file[at] ^= 1;
    TextSource source(file);
    RecordingReader reader = opened(source, files.journal);
    ASSERT_TRUE(reader.info().start == start_of_test()) << "byte " << at;
    ASSERT_TRUE(all_of(reader) == messages) << "byte " << at;
    // Not every byte of the texts there is one that can be wrong.
    if (reader.info().lost.empty()) continue;
    ASSERT_EQ(reader.info().lost.size(), 1u) << "byte " << at;
    ASSERT_EQ(reader.info().lost[0].offset, header_at);
    ASSERT_EQ(reader.info().lost[0].bytes, metadata_at(files.file) - header_at) << "byte " << at;
  }
}

TEST(RecordingBeginning, MissingBytesDoNotHideIntactMetadataAfterThem) {
  const auto [writer, files] = recorded(messages_of(tiny), small_blocks(4));
  for (std::size_t bytes = 1; bytes <= metadata_at(files.file) - header_at; ++bytes) {
    const std::string file = files.file.substr(bytes);
    TextSource source(file);
    RecordingReader reader = opened(source, files.journal);
    ASSERT_TRUE(reader.info().start == start_of_test()) << bytes;
  }
}

TEST(RecordingBeginning, ADamagedLastChunkDoesNotHideTheTotalsAfterIt) {
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  std::string file = closed_file(messages, small_blocks(4));
  TextSource whole(file);
  const auto chunks = recording::read_index(whole)->chunks;
  file[chunks.back().offset + 60] ^= 1;
  file.resize(file.size() - 5);  // and no footer
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_TRUE(reader.info().ended);
  EXPECT_FALSE(reader.info().journal_absent) << "it was written to its end";
}

TEST(RecordingBeginning, IntactMetadataOfAnotherFormatIsRefusedAtAnyPosition) {
  auto [writer, files] = recorded(messages_of(tiny), small_blocks(4));
  recording::TextMap map = recording::to_map(start_of_test());
  const std::string old = recording::metadata_record(recording::start_name, map);
  map["format"] = "2";
  const std::string other = recording::metadata_record(recording::start_name, map);
  files.file.replace(metadata_at(files.file), old.size(), other);
  for (const bool header : {true, false}) {
    std::string file = files.file;
    if (!header) file[header_at + 1] ^= 1;
    TextSource source(file);
    const auto reader = RecordingReader::open(source, files.journal);
    ASSERT_FALSE(reader.ok());
    EXPECT_NE(reader.error().message.find("metadata format: found 2, expected 1"),
              std::string::npos)
        << reader.error().message;
  }
}

TEST(RecordingBeginning, ASpeedThatNoRouterAcceptsIsRefused) {
  for (const char* speed : {"0", "-1", "1e-300", "1e308", "99999999999", "nan", "inf"}) {
    auto [writer, files] = recorded(messages_of(tiny), small_blocks(4));
    recording::TextMap map = recording::to_map(start_of_test());
    const std::string old = recording::metadata_record(recording::start_name, map);
    map["speed"] = speed;
    files.file.replace(metadata_at(files.file), old.size(),
                       recording::metadata_record(recording::start_name, map));
    TextSource source(files.file);
    const auto reader = RecordingReader::open(source, files.journal);
    ASSERT_FALSE(reader.ok()) << speed;
    EXPECT_NE(reader.error().message.find("metadata speed: found"), std::string::npos)
        << reader.error().message;
  }
}

/// A killed recorder's two files, of which the identity is lost.
struct Nameless {
  explicit Nameless(std::size_t count, bool folded = false) {
    Fleet fleet = tiny;
    fleet.ticks = 30;
    messages = messages_of(fleet);
    messages.resize(count);
    auto made = recorded(messages, small_blocks(4));
    files = std::move(made.second);
    journal = files.journal;
    if (folded) files.take(made.first.fold());
    file = without_metadata(files.file);
  }
  /// How many messages a reader finds with this journal beside it.
  std::size_t found_with(std::string_view beside) const {
    TextSource source(file);
    RecordingReader reader = opened(source, beside);
    const std::vector<RecordedMessage> found = all_of(reader);
    for (const RecordedMessage& one : found) {
      EXPECT_TRUE(one.ordinal <= messages.size() && messages[one.ordinal - 1] == one)
          << one.ordinal;
    }
    return found.size();
  }
  bool is_left_aside(std::string_view beside) const {
    TextSource source(file);
    RecordingReader reader = opened(source, beside);
    const std::vector<std::string>& notes = reader.info().notes;
    return reader.info().journal_absent && reader.info().journaled == 0 &&
           std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
             return note.find("nothing proves that it belongs to this recording") !=
                    std::string::npos;
           });
  }

  std::vector<RecordedMessage> messages;
  Files files;
  std::string file;
  std::string journal;
};

constexpr Incarnation other{9, 9};

std::string journal_of(const Incarnation& identity, const std::vector<RecordedMessage>& messages) {
  std::string journal = RecordingJournal::begin(identity);
  for (const RecordedMessage& one : messages) {
    journal += RecordingJournal::entry(identity, one.ordinal, one.arrived,
                                       *channel_of(one.envelope.body), encode(one.envelope));
  }
  return journal;
}

TEST(RecordingWithoutMetadata, UsesTheJournalThatContinuesWhereItEnds) {
  const Nameless recording(37);
  EXPECT_EQ(recording.found_with(recording.journal), 37u);
  EXPECT_LT(recording.found_with({}), 37u) << "the journal has the rest";
}

TEST(RecordingWithoutMetadata, UsesTheJournalWhoseMessagesItContains) {
  const Nameless recording(37, true);
  EXPECT_EQ(recording.found_with(recording.journal), 37u);
  EXPECT_FALSE(recording.is_left_aside(recording.journal));
}

TEST(RecordingWithoutMetadata, IgnoresTheJournalOfAnotherRecording) {
  const Nameless recording(37);
  const std::size_t in_file = recording.found_with({});
  Fleet fleet = tiny;
  fleet.seed = 99;
  fleet.ticks = 60;
  fleet.short_rows = false;
  const std::vector<RecordedMessage> strange = messages_of(fleet);
  for (std::size_t first = 1; first < strange.size(); first += 7) {
    if (first == in_file + 1) continue;
    const std::vector<RecordedMessage> some(
        strange.begin() + static_cast<std::ptrdiff_t>(first) - 1, strange.end());
    const std::string beside = journal_of(other, some);
    EXPECT_EQ(recording.found_with(beside), in_file) << "from place " << first;
    EXPECT_TRUE(recording.is_left_aside(beside)) << "from place " << first;
  }
}

TEST(RecordingWithoutMetadata, RejectsAJournalIfOnlyItsOrdinalsContinueTheFile) {
  const Nameless recording(37);
  const std::size_t in_file = recording.found_with({});
  std::vector<RecordedMessage> early(
      recording.messages.begin() + static_cast<std::ptrdiff_t>(in_file), recording.messages.end());
  std::vector<RecordedMessage> apart = early;
  for (RecordedMessage& one : early) one.arrived -= std::chrono::hours(1);
  for (RecordedMessage& one : apart) one.envelope.sequence += 100;
  for (const auto& strange : {early, apart}) {
    const std::string beside = journal_of(other, strange);
    EXPECT_EQ(recording.found_with(beside), in_file);
    EXPECT_TRUE(recording.is_left_aside(beside));
  }
}

TEST(RecordingWithoutMetadata, IgnoresAnyJournalIfTheFileHasNoMessageToCompare) {
  // Only a keyframe: every recording's first message has place 1.
  RecordingWriter writer;
  Files files;
  files.take(writer.begin(start_of_test()));
  files.take(writer.keyframe(second(0), {encode(short_row(0))}));
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  const std::string file = without_metadata(files.file);
  TextSource source(file);
  RecordingReader reader = opened(source, journal_of(other, messages));
  EXPECT_EQ(all_of(reader).size(), 0u);
  EXPECT_TRUE(reader.info().journal_absent);
}

}  // namespace
}  // namespace drover
