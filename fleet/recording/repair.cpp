#include "fleet/recording/repair.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/codec/codec.h"
#include "fleet/recording/chunks.h"
#include "fleet/recording/format/gaps.h"
#include "fleet/recording/format/layout.h"
#include "fleet/recording/reader.h"
#include "fleet/recording/writer.h"

namespace drover {
namespace {

using recording::Block;
using recording::ChunkIndex;
using recording::MessageView;
using recording::OpenChunk;

constexpr auto number_of = [](RecordingChannel channel) {
  return static_cast<std::uint16_t>(channel);
};

}  // namespace

RecordingBytes RecordingWriter::copy_chunk(std::string_view chunk_record) {
  DROVER_REQUIRE(begun_ && !ended_);
  const Result<std::string> records =
      recording::chunk_records(chunk_record.substr(recording::head_bytes));
  DROVER_REQUIRE(records.ok());
  const auto messages = recording::messages_in(*records);
  DROVER_REQUIRE(messages.ok());
  for (const MessageView& message : *messages) count_copied(message);
  return {file_.copy(chunk_record, *messages), {}, false};
}

void RecordingWriter::count_copied(const recording::MessageView& message) {
  Instant last = message.log_time;
  if (message.channel == number_of(RecordingChannel::samples)) {
    const auto head = recording::read_block_head(message.data);
    DROVER_REQUIRE(head.has_value());
    last = std::max(last, head->last);
    totals_.batches += head->batches;
    totals_.values += head->values;
    totals_.longest_block =
        std::max(totals_.longest_block, recording::apart(head->first, head->last));
  }
  if (message.channel == number_of(RecordingChannel::keyframes)) {
    const Result<Envelope> envelope = decode(message.data);
    const auto* part = envelope ? std::get_if<SnapshotPart>(&envelope->body) : nullptr;
    if (part != nullptr && part->part == 0) ++totals_.keyframes;
  }
  if (message.channel == number_of(RecordingChannel::drops)) {
    const auto drops = recording::unpacked_map<DroppedMessages>(message.data);
    if (drops) totals_.dropped += drops->count;
  }
  totals_.ordinals = std::max<std::uint64_t>(totals_.ordinals, message.sequence);
  totals_.first = std::min(totals_.first, message.log_time);
  totals_.last = std::max(totals_.last, last);
}

Result<RecordingBytes> RecordingWriter::restore(const JournalEntry& entry) {
  if (entry.ordinal == 0 || entry.ordinal > recording_messages_max) {
    return error("journal: found ordinal {}, expected 1..{}", entry.ordinal,
                 recording_messages_max);
  }
  RecordingBytes out;
  const std::uint64_t highest = totals_.ordinals;
  totals_.ordinals = entry.ordinal - 1;
  Status status;
  if (entry.channel == RecordingChannel::drops) {
    const auto drops = recording::unpacked_map<DroppedMessages>(entry.bytes);
    if (drops) {
      totals_.dropped += drops->count;
      add_row(entry.channel, entry.arrived, drops->since, entry.bytes, out);
    } else {
      status = drops.error();
    }
  } else {
    Result<Envelope> envelope = decode(entry.bytes);
    if (!envelope) {
      status = envelope.error();
    } else if (entry.channel == RecordingChannel::bookmarks) {
      add_row(entry.channel, entry.arrived, envelope->at, entry.bytes, out);
    } else if (channel_of(envelope->body)) {
      append(entry.arrived, entry.bytes, std::move(*envelope), out);
    } else {
      status = error("journal: found {}", kind_name(envelope->body));
    }
  }
  totals_.ordinals = std::max(totals_.ordinals, highest);
  if (!status) return status.error();
  return out;
}

namespace {

Status check_chunk(ByteSource& file, const ChunkIndex& chunk,
                   std::unique_ptr<OpenChunk>* opened = nullptr) {
  DROVER_ASSIGN(auto open, recording::open_chunk(file, chunk));
  if (Status status = recording::check_messages(*open, chunk); !status) {
    return error("byte {}: {}", chunk.offset, status.error().message);
  }
  if (opened != nullptr) *opened = std::move(open);
  return {};
}

Status copy(ByteSource& file, const ChunkIndex& chunk, RecordingWriter& writer,
            const ByteSink& sink) {
  DROVER_ASSIGN(const auto bytes, recording::bytes_of(file, chunk.offset, chunk.length,
                                                      2 * recording::chunk_bytes_max));
  return sink(writer.copy_chunk(bytes).file);
}

JournalEntry entry_of(const recording::OrdinalGaps::Gap& gap) {
  return {gap.ordinal, gap.missing.until, RecordingChannel::drops,
          recording::packed_map(gap.missing)};
}

class Recovery {
 public:
  Recovery(ByteSource& file, const ByteSink& sink) : file_(file), sink_(sink) {}

  Result<RecoverReport> go(std::optional<std::string_view> journal) {
    DROVER_ASSIGN(auto reader,
                  RecordingReader::open(file_, journal, RecordingReader::Survey::always));
    const RecordingInfo& info = reader.info();
    report_.lost = info.lost;
    report_.journal_lost = info.journal_lost;
    report_.journal_absent = info.journal_absent;
    report_.journal_rejected = info.journal_rejected;
    report_.speed_known = info.start.speed_known;
    report_.notes = info.notes;
    DROVER_TRY(sink_(writer_.begin(info.start).file));
    for (const ChunkIndex& chunk : reader.index().chunks) {
      DROVER_TRY(keep(chunk));
    }
    DROVER_ASSIGN(reported_, reader.drops());
    DROVER_TRY(restore(reader));
    DROVER_TRY(sink_(writer_.end().file));
    std::sort(report_.lost.begin(), report_.lost.end(),
              [](const LostRange& a, const LostRange& b) { return a.offset < b.offset; });
    return report_;
  }

 private:
  Status keep(const ChunkIndex& chunk) {
    std::unique_ptr<OpenChunk> open;
    if (Status good = check_chunk(file_, chunk, &open); !good) {
      report_.lost.push_back(
          {chunk.offset, chunk.length, chunk.start, chunk.end, good.error().message});
      return {};
    }
    recording::visit_ordinals(*open, [&](std::uint64_t ordinal, Instant arrived) {
      index_.ordinals.add(ordinal, arrived);
    });
    ++report_.chunks;
    return copy(file_, chunk, writer_, sink_);
  }

  // Adds the messages that only the journal has, and the missing ones.
  Status restore(const RecordingReader& reader) {
    std::vector<JournalEntry> entries = reader.journaled();
    report_.journaled = entries.size();
    for (const JournalEntry& entry : entries) index_.ordinals.add(entry.ordinal, entry.arrived);
    add_missing(reader, entries);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
    for (const JournalEntry& entry : entries) {
      DROVER_ASSIGN(const auto bytes, writer_.restore(entry));
      DROVER_TRY(sink_(bytes.file));
    }
    return {};
  }

  // In a file made from a damaged one ordinals are missing for good, and its drops say so already.
  bool is_reported(const DroppedMessages& missing) const {
    return std::any_of(reported_.begin(), reported_.end(), [&](const DroppedMessages& one) {
      return one.since <= missing.since && missing.until <= one.until;
    });
  }

  // Adds the messages lost in damaged parts or at the end of a truncated journal.
  void add_missing(const RecordingReader& reader, std::vector<JournalEntry>& entries) {
    const recording::FileIndex& index = reader.index();
    index_.start = index.start;
    index_.start_known = index.start_known;
    index_.closed = index.closed;
    index_.ended = index.ended;
    index_.totals = index.totals;
    index_.keyframes = index.keyframes;
    std::vector<recording::OrdinalGaps::Gap> gaps = recording::gaps_of(index_);
    const std::uint64_t last = index_.ordinals.last_ordinal();
    if (reader.info().is_end_unknown()) {
      gaps.push_back({last + 1, last + 1, {reader.last(), reader.last(), 1}});
    }
    const bool intact = report_.whole();
    for (const auto& gap : gaps) {
      if (intact && is_reported(gap.missing)) continue;
      report_.missing += gap.missing.count;
      entries.push_back(entry_of(gap));
    }
  }

  ByteSource& file_;
  const ByteSink& sink_;
  RecordingWriter writer_;
  recording::FileIndex index_;             // of the kept parts: its ordinals
  std::vector<DroppedMessages> reported_;  // by the file and its journal
  RecoverReport report_;
};

}  // namespace

Result<RecoverReport> recover_recording(ByteSource& file, std::optional<std::string_view> journal,
                                        const ByteSink& sink) {
  return Recovery(file, sink).go(journal);
}

namespace {

constexpr std::uint64_t window_bytes = 1u << 20;
constexpr std::uint64_t data_end_bytes = recording::head_bytes + 4;

Status check_message_index(ByteSource& file, const ChunkIndex& chunk, std::uint16_t channel,
                           std::uint64_t offset, const OpenChunk& open) {
  DROVER_ASSIGN(const auto head, recording::bytes_of(file, offset, recording::head_bytes + 6, 64));
  recording::Cursor cursor(head);
  const bool right = cursor.u8() == static_cast<std::uint8_t>(recording::Opcode::message_index);
  const std::uint64_t length = cursor.u64();
  if (!right || cursor.u16() != channel || cursor.u32() + 6 != length) {
    return error("byte {}: found no message index of channel {}", offset, channel);
  }
  DROVER_ASSIGN(const auto body, recording::bytes_of(file, offset + recording::head_bytes + 6,
                                                     length - 6, chunk.message_index_bytes));
  recording::Cursor entries(body);
  for (const MessageView& message : open.messages) {
    if (message.channel != channel) continue;
    const bool same =
        entries.u64() == recording::bits_of(message.log_time) && entries.u64() == message.offset;
    if (!same) return error("byte {}: found an entry with a wrong offset", offset);
  }
  if (!entries.at_end()) return error("byte {}: found entries without messages", offset);
  return {};
}

Status check_data_crc(ByteSource& file, std::uint64_t end) {
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < end;) {
    DROVER_ASSIGN(const auto bytes,
                  recording::bytes_of(file, at, std::min(window_bytes, end - at), window_bytes));
    crc = recording::crc32_of(bytes, crc);
    at += bytes.size();
  }
  DROVER_ASSIGN(const auto record, recording::bytes_of(file, end, data_end_bytes, data_end_bytes));
  recording::Cursor cursor(record);
  const bool right = cursor.u8() == static_cast<std::uint8_t>(recording::Opcode::data_end) &&
                     cursor.u64() == data_end_bytes - recording::head_bytes;
  const std::uint32_t expected = cursor.u32();
  if (!right) return error("byte {}: the DataEnd record is missing", end);
  if (expected == crc) return {};
  return error("byte {}: found CRC-32 {:08x} of the data, expected {:08x}", end, crc, expected);
}

// No CRC covers the times in a chunk's head. They must be those of its messages, as in its index.
Status check_times(ByteSource& file, const ChunkIndex& chunk, const OpenChunk& open) {
  Instant start = Instant::max();
  Instant end = Instant::min();
  for (const MessageView& message : open.messages) {
    start = std::min(start, message.log_time);
    end = std::max(end, message.log_time);
  }
  DROVER_ASSIGN(const auto head,
                recording::bytes_of(file, chunk.offset, recording::head_bytes + 16, 64));
  recording::Cursor cursor(head);
  cursor.raw(recording::head_bytes);
  const Instant head_start = recording::instant_of(cursor.u64());
  const Instant head_end = recording::instant_of(cursor.u64());
  if (head_start != start || head_end != end) {
    return error("byte {}: the times in the chunk header do not match its messages", chunk.offset);
  }
  if (chunk.start == start && chunk.end == end) return {};
  return error("byte {}: the times in the chunk index do not match its messages", chunk.offset);
}

void check_chunks(ByteSource& file, const recording::FileIndex& index, VerifyReport& report) {
  const auto add = [&](const Status& status) {
    if (!status) report.problems.push_back(status.error().message);
  };
  for (const ChunkIndex& chunk : index.chunks) {
    ++report.chunks;
    std::unique_ptr<OpenChunk> open;
    const Status good = check_chunk(file, chunk, &open);
    add(good);
    if (!good) continue;
    if (!index.surveyed) add(check_times(file, chunk, *open));  // else it is in the notes
    for (const MessageView& message : open->messages) {
      if (message.channel != number_of(RecordingChannel::samples)) ++report.messages;
      if (!chunk.message_indexes.contains(message.channel)) {
        add(error("byte {}: found channel {} without its index", chunk.offset, message.channel));
      }
    }
    for (const Block& block : open->blocks) {
      report.messages += block.batch_count();
      report.sample_values += block.head().values;
    }
    for (const auto& [channel, offset] : chunk.message_indexes) {
      if (offset > 0) add(check_message_index(file, chunk, channel, offset, *open));
    }
  }
}

}  // namespace

Result<VerifyReport> verify_recording(ByteSource& file) {
  DROVER_ASSIGN(const auto index, recording::read_index(file));
  VerifyReport report;
  report.out_of_order = index.totals.out_of_order;
  report.problems = index.notes;
  for (const LostRange& lost : index.lost) {
    report.problems.push_back(
        fmt::format("byte {}: {} bytes lost: {}", lost.offset, lost.bytes, lost.why));
  }
  check_chunks(file, index, report);
  if (index.closed) {
    if (Status crc = check_data_crc(file, index.data_end); !crc) {
      report.problems.push_back(crc.error().message);
    }
    if (report.sample_values != index.totals.values) {
      report.problems.push_back(fmt::format("found {} sample values, expected {}",
                                            report.sample_values, index.totals.values));
    }
  }
  return report;
}

}  // namespace drover
