#include "fleet/recording/reader.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/format/layout.h"
#include "fleet/recording/reader_state.h"
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

void RecordingReader::State::take_entry(const JournalEntry& entry) {
  if (entry.channel == RecordingChannel::drops) {
    const auto drops = recording::unpacked_map<DroppedMessages>(entry.bytes);
    if (drops) journaled_drops.push_back(*drops);
    if (drops) entries.push_back(entry);
    return;
  }
  Result<Envelope> envelope = decode(entry.bytes);
  if (!envelope) {
    info.notes.push_back(
        fmt::format("journal, message {}: {}", entry.ordinal, envelope.error().message));
    return;
  }
  entries.push_back(entry);
  journal.push_back({entry.channel, {entry.arrived, std::move(*envelope), entry.ordinal}});
}

void RecordingReader::State::reject_journal(std::string why) {
  info.notes.push_back(std::move(why));
  info.journal_rejected = true;
  info.journal_absent = !index.closed && !index.ended;
}

void RecordingReader::State::take_journal(std::string_view bytes) {
  std::optional<Incarnation> whose;
  if (index.start_known) whose = index.start.identity;
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
  for (LostRange& one : read.lost) info.journal_lost.push_back(std::move(one));
  if (!index.start_known) index.start.identity = read.identity;
  for (const JournalEntry& entry : read.entries) {
    if (!index.ordinals.contains(entry.ordinal)) take_entry(entry);
  }
  for (const JournalEntry& entry : entries) index.ordinals.add(entry.ordinal, entry.arrived);
}

void RecordingReader::State::set_info() {
  info.start = index.start;
  info.file_bytes = source.size();
  info.closed = index.closed;
  info.ended = index.closed || index.ended;
  info.chunks = index.chunks.size();
  info.sample_batches = index.totals.batches;
  info.sample_values = index.totals.values;
  info.keyframes = index.totals.keyframes;
  info.dropped = index.totals.dropped;
  info.out_of_order = index.totals.out_of_order;
  info.lost = index.lost;
  info.notes.insert(info.notes.begin(), index.notes.begin(), index.notes.end());
  for (const auto& [number, messages] : index.messages) {
    if (number < 1 || number > recording_channel_count) continue;
    info.channels.push_back({static_cast<RecordingChannel>(number), messages});
  }
  for (const ChunkIndex& chunk : index.chunks) {
    if (chunk.holds(RecordingChannel::samples)) info.sample_bytes += chunk.length;
  }
  for (const DroppedMessages& one : journaled_drops) info.dropped += one.count;
  info.journaled = journal.size() + journaled_drops.size();
  bool any = !index.chunks.empty();
  first = any ? index.totals.first : index.start.fleet_time;
  last = any ? index.totals.last : index.start.fleet_time;
  for (const JournaledMessage& one : journal) {
    first = any ? std::min(first, one.recorded.arrived) : one.recorded.arrived;
    last = any ? std::max(last, one.recorded.arrived) : one.recorded.arrived;
    any = true;
  }
}

Result<RecordingReader> RecordingReader::open(ByteSource& file,
                                              std::optional<std::string_view> journal,
                                              Survey survey) {
  auto state = std::make_unique<State>(file);
  Result<recording::FileIndex> index = recording::read_index(file);
  if (!index) return index.error();
  state->index = std::move(*index);
  // A journal is compared with the messages of the file.
  const bool wanted = survey == Survey::always || journal.has_value();
  if (wanted && !state->index.surveyed) recording::survey(file, state->index);
  // A recorder always leaves a journal, at least with a head.
  const bool torn = !state->index.closed && !state->index.ended;
  state->info.journal_absent = torn && (!journal || journal->empty());
  if (journal) state->take_journal(*journal);
  state->set_info();
  return RecordingReader(std::move(state));
}

RecordingReader::RecordingReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

const RecordingInfo& RecordingReader::info() const { return state_->info; }
const recording::FileIndex& RecordingReader::index() const { return state_->index; }
const std::vector<JournalEntry>& RecordingReader::journaled() const { return state_->entries; }
Instant RecordingReader::first() const { return state_->first; }
Instant RecordingReader::last() const { return state_->last; }

// The message of a block has the time of its first batch; its last batch is later by at most the
// longest block.
bool RecordingReader::State::may_hold(const ChunkIndex& chunk, Instant from, Instant to) const {
  const bool samples = chunk.holds(RecordingChannel::samples);
  const Duration block = samples ? index.totals.longest_block : Duration{0};
  return chunk.start < to && saturating_add(chunk.end, block) >= from;
}

Status RecordingReader::State::add_rows(Instant from, Instant to, Messages& out) {
  for (const ChunkIndex& chunk : index.chunks) {
    if (!has_rows(chunk) || !may_hold(chunk, from, to)) continue;
    const Result<OpenChunk*> open = cache.get(chunk);
    if (!open) return open.error();
    for (const MessageView& message : (*open)->messages) {
      if (!is_row(message.channel) || !within(message.log_time, from, to)) continue;
      Result<RecordedMessage> row = recording::row_of(message, chunk);
      if (!row) return row.error();
      out.push_back(std::move(*row));
    }
  }
  return {};
}

Status RecordingReader::State::add_samples(Instant from, Instant to, Messages& out) {
  for (const ChunkIndex& chunk : index.chunks) {
    if (!chunk.holds(RecordingChannel::samples) || !may_hold(chunk, from, to)) continue;
    const Result<OpenChunk*> open = cache.get(chunk);
    if (!open) return open.error();
    const bool wanted = std::any_of(
        (*open)->blocks.begin(), (*open)->blocks.end(),
        [&](const Block& block) { return block.head().first < to && block.head().last >= from; });
    if (!wanted) continue;
    const Result<OpenChunk*> decoded = cache.decoded(chunk);
    if (!decoded) return decoded.error();
    for (const Block& block : (*decoded)->blocks) {
      for (std::size_t i = 0; i < block.batch_count(); ++i) {
        if (within(block.facts(i).arrived, from, to)) out.push_back(block.batch(i));
      }
    }
  }
  return {};
}

void RecordingReader::State::add_journaled(Instant from, Instant to, Kinds kinds, Messages& out) {
  for (const JournaledMessage& one : journal) {
    if (one.channel == RecordingChannel::bookmarks) continue;
    const Kinds kind = one.channel == RecordingChannel::samples ? Kinds::samples : Kinds::rows;
    if (kinds != Kinds::all && kinds != kind) continue;
    if (within(one.recorded.arrived, from, to)) out.push_back(one.recorded);
  }
}

Result<Messages> RecordingReader::State::read(Instant from, Instant to, Kinds kinds) {
  Messages messages;
  if (kinds != Kinds::rows) {
    if (Status status = add_samples(from, to, messages); !status) return status.error();
  }
  if (kinds != Kinds::samples) {
    if (Status status = add_rows(from, to, messages); !status) return status.error();
  }
  add_journaled(from, to, kinds, messages);
  in_order(messages);
  return messages;
}

Result<Messages> RecordingReader::read(Instant from, Instant to) {
  return state_->read(from, to, State::Kinds::all);
}

Result<Messages> RecordingReader::read_rows(Instant from, Instant to) {
  return state_->read(from, to, State::Kinds::rows);
}

Result<Messages> RecordingReader::read_samples(Instant from, Instant to) {
  return state_->read(from, to, State::Kinds::samples);
}

}  // namespace drover
