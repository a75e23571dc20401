#include "fleet/recording/reader.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/format/layout.h"
#include "fleet/recording/survey.h"

namespace drover {

void recording::in_order(std::vector<RecordedMessage>& messages) {
  const auto before = [](const RecordedMessage& a, const RecordedMessage& b) {
    return a.ordinal < b.ordinal;
  };
  // The check is cheaper than moving messages, and they are usually sorted.
  if (std::is_sorted(messages.begin(), messages.end(), before)) return;
  std::stable_sort(messages.begin(), messages.end(), before);
}

namespace {

using recording::Block;
using recording::ChunkIndex;
using recording::in_order;
using recording::is_row;
using recording::JournaledMessage;
using recording::MessageView;
using recording::OpenChunk;
using recording::within;

using Messages = std::vector<RecordedMessage>;

bool has_rows(const ChunkIndex& chunk) {
  return std::any_of(chunk.message_indexes.begin(), chunk.message_indexes.end(),
                     [](const auto& one) { return is_row(one.first); });
}

}  // namespace

void RecordingReader::take_entry(const JournalEntry& entry) {
  if (entry.channel == RecordingChannel::drops) {
    const auto drops = recording::unpacked_map<DroppedMessages>(entry.bytes);
    if (drops) journaled_drops_.push_back(*drops);
    if (drops) entries_.push_back(entry);
    return;
  }
  Result<Envelope> envelope = decode(entry.bytes);
  if (!envelope) {
    info_.notes.push_back(
        fmt::format("journal, message {}: {}", entry.ordinal, envelope.error().message));
    return;
  }
  entries_.push_back(entry);
  journal_.push_back({entry.channel, {entry.arrived, std::move(*envelope), entry.ordinal}});
}

void RecordingReader::reject_journal(std::string why) {
  info_.notes.push_back(std::move(why));
  info_.journal_rejected = true;
  info_.journal_absent = !index_.closed && !index_.ended;
}

void RecordingReader::take_journal(std::string_view bytes) {
  std::optional<Incarnation> whose;
  if (index_.start_known) whose = index_.start.identity;
  RecordingJournal read = RecordingJournal::read(bytes, whose);
  if (read.other) {
    return reject_journal("the journal belongs to another recording and was ignored");
  }
  if (!whose && !bytes.empty() && !is_continued_by(read.entries)) {
    return reject_journal(
        "the journal was ignored: the file's identity is lost, and nothing proves that it "
        "belongs to this recording");
  }
  // After the damaged end of a journal there may have been more.
  for (LostRange& one : read.lost) info_.journal_lost.push_back(std::move(one));
  if (!index_.start_known) index_.start.identity = read.identity;
  for (const JournalEntry& entry : read.entries) {
    if (!index_.ordinals.contains(entry.ordinal)) take_entry(entry);
  }
  for (const JournalEntry& entry : entries_) index_.ordinals.add(entry.ordinal, entry.arrived);
}

void RecordingReader::set_info() {
  info_.start = index_.start;
  info_.file_bytes = source_.size();
  info_.closed = index_.closed;
  info_.ended = index_.closed || index_.ended;
  info_.chunks = index_.chunks.size();
  info_.sample_batches = index_.totals.batches;
  info_.sample_values = index_.totals.values;
  info_.keyframes = index_.totals.keyframes;
  info_.dropped = index_.totals.dropped;
  info_.out_of_order = index_.totals.out_of_order;
  info_.lost = index_.lost;
  info_.notes.insert(info_.notes.begin(), index_.notes.begin(), index_.notes.end());
  for (const auto& [number, messages] : index_.messages) {
    if (number < 1 || number > recording_channel_count) continue;
    info_.channels.push_back({static_cast<RecordingChannel>(number), messages});
  }
  for (const ChunkIndex& chunk : index_.chunks) {
    if (chunk.holds(RecordingChannel::samples)) info_.sample_bytes += chunk.length;
  }
  for (const DroppedMessages& one : journaled_drops_) info_.dropped += one.count;
  info_.journaled = journal_.size() + journaled_drops_.size();
  bool any = !index_.chunks.empty();
  first_ = any ? index_.totals.first : index_.start.fleet_time;
  last_ = any ? index_.totals.last : index_.start.fleet_time;
  for (const JournaledMessage& one : journal_) {
    first_ = any ? std::min(first_, one.recorded.arrived) : one.recorded.arrived;
    last_ = any ? std::max(last_, one.recorded.arrived) : one.recorded.arrived;
    any = true;
  }
}

Result<RecordingReader> RecordingReader::open(ByteSource& file,
                                              std::optional<std::string_view> journal,
                                              Survey survey) {
  RecordingReader reader(file);
  DROVER_ASSIGN(reader.index_, recording::read_index(file));
  // A journal is compared with the messages of the file.
  const bool wanted = survey == Survey::always || journal.has_value();
  if (wanted && !reader.index_.surveyed) recording::survey(file, reader.index_);
  // A recorder always leaves a journal, at least with a head.
  const bool torn = !reader.index_.closed && !reader.index_.ended;
  reader.info_.journal_absent = torn && (!journal || journal->empty());
  if (journal) reader.take_journal(*journal);
  reader.set_info();
  return reader;
}

// The message of a block has the time of its first batch; its last batch is later by at most the
// longest block.
bool RecordingReader::may_hold(const ChunkIndex& chunk, Instant from, Instant to) const {
  const bool samples = chunk.holds(RecordingChannel::samples);
  const Duration block = samples ? index_.totals.longest_block : Duration{0};
  return chunk.start < to && saturating_add(chunk.end, block) >= from;
}

Status RecordingReader::add_rows(Instant from, Instant to, Messages& out) {
  for (const ChunkIndex& chunk : index_.chunks) {
    if (!has_rows(chunk) || !may_hold(chunk, from, to)) continue;
    DROVER_ASSIGN(const auto open, cache_.get(chunk));
    for (const MessageView& message : open->messages) {
      if (!is_row(message.channel) || !within(message.log_time, from, to)) continue;
      DROVER_ASSIGN(auto row, recording::row_of(message, chunk));
      out.push_back(std::move(row));
    }
  }
  return {};
}

Status RecordingReader::add_samples(Instant from, Instant to, Messages& out) {
  for (const ChunkIndex& chunk : index_.chunks) {
    if (!chunk.holds(RecordingChannel::samples) || !may_hold(chunk, from, to)) continue;
    DROVER_ASSIGN(const auto open, cache_.get(chunk));
    const bool wanted = std::any_of(
        open->blocks.begin(), open->blocks.end(),
        [&](const Block& block) { return block.head().first < to && block.head().last >= from; });
    if (!wanted) continue;
    DROVER_ASSIGN(const auto decoded, cache_.decoded(chunk));
    for (const Block& block : decoded->blocks) {
      for (std::size_t i = 0; i < block.batch_count(); ++i) {
        if (within(block.facts(i).arrived, from, to)) out.push_back(block.batch(i));
      }
    }
  }
  return {};
}

void RecordingReader::add_journaled(Instant from, Instant to, Kinds kinds, Messages& out) {
  for (const JournaledMessage& one : journal_) {
    if (one.channel == RecordingChannel::bookmarks) continue;
    const Kinds kind = one.channel == RecordingChannel::samples ? Kinds::samples : Kinds::rows;
    if (kinds != Kinds::all && kinds != kind) continue;
    if (within(one.recorded.arrived, from, to)) out.push_back(one.recorded);
  }
}

Result<Messages> RecordingReader::read(Instant from, Instant to, Kinds kinds) {
  Messages messages;
  if (kinds != Kinds::rows) {
    DROVER_TRY(add_samples(from, to, messages));
  }
  if (kinds != Kinds::samples) {
    DROVER_TRY(add_rows(from, to, messages));
  }
  add_journaled(from, to, kinds, messages);
  in_order(messages);
  return messages;
}

Result<Messages> RecordingReader::read(Instant from, Instant to) {
  return read(from, to, Kinds::all);
}

Result<Messages> RecordingReader::read_rows(Instant from, Instant to) {
  return read(from, to, Kinds::rows);
}

Result<Messages> RecordingReader::read_samples(Instant from, Instant to) {
  return read(from, to, Kinds::samples);
}

}  // namespace drover
