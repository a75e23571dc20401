// Recordings that are cut short, damaged, or made to do harm.
#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "fleet/recording/chunks.h"
#include "fleet/recording/format/journal.h"
#include "fleet/recording/repair.h"
#include "tests/fleet/recording/small_recording.h"

namespace drover {
namespace {

using namespace recording_test;

std::vector<recording::ChunkIndex> chunks_of(const std::string& file) {
  TextSource source(file);
  return recording::read_index(source)->chunks;
}

// What the first `count` chunks of a whole file hold, by the places in them.
std::vector<RecordedMessage> messages_in_chunks(const std::string& file, std::size_t count,
                                                const std::vector<RecordedMessage>& messages) {
  TextSource source(file);
  const auto chunks = chunks_of(file);
  std::set<std::uint64_t> ordinals;
  for (std::size_t i = 0; i < count; ++i) {
    const auto open = recording::open_chunk(source, chunks.at(i));
    EXPECT_TRUE(open.ok());
    recording::visit_ordinals(**open,
                              [&](std::uint64_t ordinal, Instant) { ordinals.insert(ordinal); });
  }
  std::vector<RecordedMessage> found;
  for (const std::uint64_t ordinal : ordinals) found.push_back(messages.at(ordinal - 1));
  return found;
}

std::size_t whole_chunks(const std::vector<recording::ChunkIndex>& chunks, std::size_t bytes) {
  return static_cast<std::size_t>(std::count_if(
      chunks.begin(), chunks.end(),
      [&](const recording::ChunkIndex& chunk) { return chunk.offset + chunk.length <= bytes; }));
}

TEST(RecordingDamage, ATruncatedFileOpensUpToItsLastIntactBlock) {
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  const std::string file = closed_file(messages, small_blocks(2));
  const auto chunks = chunks_of(file);
  ASSERT_GE(chunks.size(), 6u);
  ASSERT_TRUE(messages_in_chunks(file, chunks.size(), messages) == messages);
  ASSERT_GE(messages_in_chunks(file, chunks.size() - 4, messages).size(), messages.size() / 2);
  std::map<std::size_t, std::vector<RecordedMessage>> expected;
  // Two folds of a block and its rows each.
  for (std::size_t bytes = chunks[chunks.size() - 4].offset; bytes < file.size(); ++bytes) {
    const std::size_t whole = whole_chunks(chunks, bytes);
    if (!expected.contains(whole)) expected[whole] = messages_in_chunks(file, whole, messages);
    TextSource source(std::string_view(file).substr(0, bytes));
    RecordingReader reader = opened(source);
    ASSERT_TRUE(all_of(reader) == expected[whole]) << bytes;
    ASSERT_FALSE(reader.info().closed);
    ASSERT_FALSE(reader.info().notes.empty());
    const bool within_chunk = whole < chunks.size() && bytes > chunks[whole].offset;
    if (within_chunk) {
      ASSERT_EQ(reader.info().lost.size(), 1u) << bytes;
      ASSERT_EQ(reader.info().lost[0].offset, chunks[whole].offset);
      ASSERT_EQ(reader.info().lost[0].bytes, bytes - chunks[whole].offset);
      ASSERT_TRUE(reader.info().lost[0].from.has_value());
    }
  }
}

TEST(RecordingDamage, DataPendingForTheNextBlockComesFromTheJournal) {
  Fleet fleet = tiny;
  fleet.ticks = 20;
  const std::vector<RecordedMessage> messages = messages_of(fleet);
  for (std::size_t count = 1; count <= messages.size(); ++count) {
    const std::vector<RecordedMessage> some(messages.begin(), messages.begin() + count);
    RecordingOptions options = small_blocks();
    options.row_chunk_bytes = 200;  // rows go before the samples that wait with them
    auto [writer, files] = recorded(some, options);
    TextSource source(files.file);
    RecordingReader reader = opened(source, files.journal);
    ASSERT_TRUE(all_of(reader) == some) << count;
  }
}

TEST(RecordingDamage, ACrashBetweenTheFoldAndTheJournalResetDuplicatesNothing) {
  const std::vector<RecordedMessage> messages = messages_of({.ticks = 9});
  auto [writer, files] = recorded(messages);
  const std::string journal = files.journal;
  files.take(writer.fold());
  TextSource source(files.file);
  RecordingReader reader = opened(source, journal);
  EXPECT_TRUE(all_of(reader) == messages);
  EXPECT_EQ(reader.info().journaled, 0u);
}

TEST(RecordingDamage, ATornJournalYieldsItsIntactEntries) {
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  const auto [writer, files] = recorded(messages, small_blocks(20));
  TextSource source(files.file);
  std::size_t most = 0;
  for (std::size_t bytes = 0; bytes <= files.journal.size(); ++bytes) {
    RecordingReader reader = opened(source, std::string_view(files.journal).substr(0, bytes));
    const std::vector<RecordedMessage> found = all_of(reader);
    ASSERT_TRUE(std::equal(found.begin(), found.end(), messages.begin()));
    ASSERT_GE(found.size(), most);
    most = found.size();
  }
  EXPECT_EQ(most, messages.size());
}

TEST(RecordingDamage, AJournalTruncatedInItsHeaderIsReported) {
  const auto [writer, files] = recorded(messages_of(tiny), small_blocks(20));
  const std::string head = RecordingJournal::begin(start_of_test().identity);
  ASSERT_TRUE(files.journal.starts_with(head));
  TextSource source(files.file);
  for (std::size_t bytes = 1; bytes < head.size(); ++bytes) {
    const RecordingReader reader = opened(source, std::string_view(files.journal).substr(0, bytes));
    ASSERT_EQ(reader.info().journal_lost.size(), 1u) << bytes;
    EXPECT_EQ(reader.info().journal_lost[0].bytes, bytes);
    EXPECT_EQ(reader.info().journal_lost[0].why, "found a truncated header");
    EXPECT_FALSE(reader.info().journal_rejected) << bytes;
    EXPECT_TRUE(reader.info().is_end_unknown()) << bytes;
  }
  EXPECT_TRUE(opened(source, head).info().journal_lost.empty()) << "no message waits";
}

TEST(RecordingDamage, AnotherRecordingsJournalIsIgnored) {
  const std::vector<RecordedMessage> messages = messages_of({.ticks = 3});
  const auto [writer, files] = recorded(messages);
  const std::string other =
      RecordingJournal::begin({9, 9}) + RecordingJournal::entry({9, 9}, 1, messages[0].arrived,
                                                                RecordingChannel::samples,
                                                                encode(messages[0].envelope));
  TextSource source(files.file);
  RecordingReader reader = opened(source, other);
  EXPECT_EQ(all_of(reader).size(), 0u);
  EXPECT_EQ(reader.info().notes.back(), "the journal belongs to another recording and was ignored");
  EXPECT_TRUE(reader.info().journal_absent);
}

Result<RecoverReport> recovered(const std::string& file, std::optional<std::string_view> journal,
                                std::string& out) {
  TextSource source(file);
  return recover_recording(source, journal, [&](std::string_view bytes) {
    out += bytes;
    return Status{};
  });
}

TEST(RecordingDamage, RecoveryKeepsAllIntactDataAndReportsTheRest) {
  const std::vector<RecordedMessage> messages = messages_of({});
  auto [writer, files] = recorded(messages);
  std::string clean;
  const auto whole = recovered(files.file, files.journal, clean);
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(whole->lost.empty());
  TextSource clean_source(clean);
  EXPECT_EQ(verify_recording(clean_source)->problems, std::vector<std::string>{});
  RecordingReader reader = opened(clean_source);
  EXPECT_TRUE(all_of(reader) == messages);
  EXPECT_TRUE(reader.info().closed);

  const auto chunks = chunks_of(files.file);
  files.file[chunks[1].offset + 60] ^= 1;
  std::string rest;
  const auto partly = recovered(files.file, files.journal, rest);
  ASSERT_TRUE(partly.ok());
  ASSERT_EQ(partly->lost.size(), 1u);
  EXPECT_EQ(partly->lost[0].offset, chunks[1].offset);
  EXPECT_LE(partly->lost[0].from, chunks[1].start);
  EXPECT_GE(partly->lost[0].to, chunks[1].end);
  TextSource rest_source(rest);
  EXPECT_EQ(verify_recording(rest_source)->problems, std::vector<std::string>{});
  RecordingReader rest_reader = opened(rest_source);
  const std::vector<RecordedMessage> found = all_of(rest_reader);
  EXPECT_LT(found.size(), messages.size());
  for (const RecordedMessage& one : found) EXPECT_TRUE(messages[one.ordinal - 1] == one);
  EXPECT_EQ(partly->missing, messages.size() - found.size());
}

// Whether each message that is not found falls into a time of which drops are told.
void expect_told(RecordingReader& reader, const std::vector<RecordedMessage>& messages) {
  const auto drops = reader.drops();
  ASSERT_TRUE(drops.ok());
  std::set<std::uint64_t> ordinals;
  for (const RecordedMessage& one : all_of(reader)) ordinals.insert(one.ordinal);
  std::uint64_t missing = 0;
  for (const RecordedMessage& one : messages) {
    if (ordinals.contains(one.ordinal)) continue;
    ++missing;
    EXPECT_TRUE(std::any_of(drops->begin(), drops->end(), [&](const DroppedMessages& drop) {
      return drop.since <= one.arrived && one.arrived <= drop.until;
    })) << one.ordinal;
  }
  std::uint64_t told = 0;
  for (const DroppedMessages& drop : *drops) told += drop.count;
  EXPECT_EQ(told, missing);
  EXPECT_EQ(reader.info().dropped, missing);
  EXPECT_EQ(reader.info().out_of_order, 0u);
}

TEST(RecordingDamage, ARecoveredFileReportsWhatIsMissing) {
  Fleet fleet;
  fleet.ticks = 150;
  const std::vector<RecordedMessage> messages = messages_of(fleet);
  const std::string whole = closed_file(messages);
  const auto chunks = chunks_of(whole);
  for (const std::vector<std::size_t>& damaged :
       std::vector<std::vector<std::size_t>>{{0}, {6}, {7}, {6, 7}, {6, 40}}) {
    std::string file = whole;
    for (const std::size_t chunk : damaged) file[chunks.at(chunk).offset + 60] ^= 1;
    std::string out;
    const auto report = recovered(file, {}, out);
    ASSERT_TRUE(report.ok());
    EXPECT_GT(report->missing, 0u);
    TextSource source(out);
    EXPECT_EQ(verify_recording(source)->problems, std::vector<std::string>{});
    RecordingReader reader = opened(source);
    expect_told(reader, messages);
    std::string again;
    EXPECT_EQ(recovered(out, {}, again)->missing, 0u) << "it is told already";
  }
}

TEST(RecordingDamage, ATornEndWithoutItsJournalIsReported) {
  const std::vector<RecordedMessage> messages = messages_of({.ticks = 9});
  const auto [writer, files] = recorded(messages);
  const std::string torn = files.file.substr(0, files.file.size() - 5);
  std::string out;
  EXPECT_EQ(recovered(torn, files.journal, out)->missing, 0u) << "the journal has them";
  out.clear();
  EXPECT_EQ(recovered(torn, {}, out)->missing, 1u) << "at least";
  TextSource source(out);
  RecordingReader reader = opened(source);
  EXPECT_EQ(reader.info().dropped, 1u);
}

TEST(RecordingDamage, SizesAreNotTrusted) {
  const auto [writer, files] = recorded(messages_of({}));
  const auto chunks = chunks_of(files.file);
  // Behind kind and length of the record stand two times, then the size of its records.
  const std::size_t at = chunks[1].offset + 1 + 8 + 2 * 8;
  for (const std::uint64_t size : {recording::chunk_bytes_max + 1, ~std::uint64_t{0}}) {
    std::string file = files.file;
    std::memcpy(&file[at], &size, sizeof size);
    TextSource source(file);
    RecordingReader reader = opened(source);
    ASSERT_EQ(reader.info().lost.size(), 1u);
    EXPECT_EQ(reader.info().lost[0].offset, chunks[1].offset);
    EXPECT_NE(reader.info().lost[0].why.find("expected at most 67108864"), std::string::npos)
        << reader.info().lost[0].why;
    EXPECT_EQ(reader.info().chunks, chunks.size() - 1) << "the others are there";
  }
}

TEST(RecordingDamage, ADamagedLengthHidesNoLaterChunk) {
  const auto [writer, files] = recorded(messages_of({}));
  std::string file = files.file;
  const auto chunks = chunks_of(file);
  file[chunks[1].offset + 5] ^= 0x40;  // its length
  TextSource source(file);
  RecordingReader reader = opened(source);
  EXPECT_EQ(reader.info().chunks, chunks.size() - 1);
  ASSERT_EQ(reader.info().lost.size(), 1u);
  EXPECT_EQ(reader.info().lost[0].offset, chunks[1].offset);
  EXPECT_EQ(reader.info().lost[0].bytes, chunks[2].offset - chunks[1].offset);
}

// Whatever a flipped bit does, no value that comes out differs from what went in.
void expect_no_wrong_value(const std::string& file, const std::vector<RecordedMessage>& messages,
                           bool repaired) {
  TextSource source(file);
  auto reader = RecordingReader::open(source);
  if (!reader) return;
  const auto found = reader->read(long_ago, never);
  if (found) {
    for (const RecordedMessage& one : *found) {
      ASSERT_LE(one.ordinal, messages.size());
      ASSERT_TRUE(messages[one.ordinal - 1] == one);
    }
  }
  if (!repaired) return;
  ASSERT_TRUE(verify_recording(source).ok());
  std::string out;
  ASSERT_TRUE(recovered(file, {}, out).ok());
}

TEST(RecordingDamage, AFlippedBitNeverYieldsAWrongValue) {
  const std::vector<RecordedMessage> messages = messages_of(tiny);
  RandomStream random(11);
  const auto [writer, files] = recorded(messages, small_blocks(4));
  for (const std::string& whole : {closed_file(messages, small_blocks(4)), files.file}) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string file = whole;
      file[at] ^= static_cast<char>(1 << random.below(8));
      expect_no_wrong_value(file, messages, at % 11 == 0);
      if (HasFatalFailure()) FAIL() << "byte " << at;
    }
  }
}

TEST(RecordingDamage, VerifyFindsEveryFlippedBitOfTheData) {
  const std::string whole = closed_file(messages_of(tiny), small_blocks(4));
  TextSource whole_source(whole);
  const std::uint64_t end = recording::read_index(whole_source)->data_end;
  for (std::size_t at = 8; at < end; ++at) {
    std::string file = whole;
    file[at] ^= 4;
    TextSource source(file);
    const auto report = verify_recording(source);
    ASSERT_TRUE(!report || !report->problems.empty()) << at;
  }
}

TEST(RecordingDamage, AFileThatIsNotARecordingIsRefusedWithTheOffset) {
  const auto message = [](std::string_view bytes) {
    TextSource source(bytes);
    const auto reader = RecordingReader::open(source);
    return reader ? "" : reader.error().message;
  };
  EXPECT_EQ(message(""), "not an MCAP file");
  EXPECT_EQ(message("PK\x03\x04 something else"), "not an MCAP file");
  EXPECT_EQ(message(recording::magic),
            "byte 8: found no metadata drover.recording, expected a recording of Drover");
}

}  // namespace
}  // namespace drover
