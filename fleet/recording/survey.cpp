#include "fleet/recording/survey.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/recording/format/layout.h"

namespace drover::recording {
namespace {

constexpr auto number_of = [](RecordingChannel channel) {
  return static_cast<std::uint16_t>(channel);
};

}  // namespace

Status Survey::take(ByteSource& source, ChunkIndex& chunk) {
  DROVER_ASSIGN(const auto open, open_chunk(source, chunk));
  if (open->messages.empty()) return error("byte {}: found an empty chunk", chunk.offset);
  const Instant start = chunk.start;
  const Instant end = chunk.end;
  take_messages(*open, chunk);
  if (chunk.start != start || chunk.end != end) {
    notes_.push_back(fmt::format("byte {}: the times in the chunk header are wrong", chunk.offset));
  }
  chunks_.push_back(chunk);
  return {};
}

void Survey::take_messages(const OpenChunk& open, ChunkIndex& chunk) {
  const Instant first = open.messages.front().log_time;
  chunk.start = chunk.end = first;
  std::map<std::uint16_t, std::uint64_t> indexes;
  for (const MessageView& message : open.messages) {
    chunk.start = std::min(chunk.start, message.log_time);
    chunk.end = std::max(chunk.end, message.log_time);
    const auto known = chunk.message_indexes.find(message.channel);
    indexes[message.channel] = known == chunk.message_indexes.end() ? 0 : known->second;
    ++messages_[message.channel];
    if (message.channel == number_of(RecordingChannel::keyframes)) {
      take_keyframe(message, chunks_.size());
    }
    if (message.channel == number_of(RecordingChannel::drops)) {
      const auto drops = unpacked_map<DroppedMessages>(message.data);
      if (drops) totals_.dropped += drops->count;
    }
  }
  chunk.message_indexes = std::move(indexes);
  Instant last = chunk.end;
  for (const Block& block : open.blocks) {
    const BlockHead& head = block.head();
    last = std::max(last, head.last);
    totals_.batches += head.batches;
    totals_.values += head.values;
    if (head.last >= head.first) {
      totals_.longest_block = std::max(totals_.longest_block, apart(head.first, head.last));
    }
  }
  visit_ordinals(open,
                 [&](std::uint64_t ordinal, Instant arrived) { places_.add(ordinal, arrived); });
  totals_.first = chunks_.empty() ? chunk.start : std::min(totals_.first, chunk.start);
  totals_.last = chunks_.empty() ? last : std::max(totals_.last, last);
}

void Survey::take_keyframe(const MessageView& message, std::size_t chunk) {
  const Result<Envelope> envelope = decode(message.data);
  const auto* part = envelope ? std::get_if<SnapshotPart>(&envelope->body) : nullptr;
  if (part == nullptr) return;
  Parts& parts = snapshots_[part->snapshot];
  if (parts.found == 0) {
    parts.expected = part->parts;
    parts.keyframe = {message.log_time, message.sequence, part->snapshot, chunk, chunk};
  }
  parts.keyframe.last_chunk = chunk;
  ++parts.found;
}

void Survey::finish(FileIndex& index) {
  for (const auto& [snapshot, parts] : snapshots_) {
    if (parts.found == parts.expected) index.keyframes.push_back(parts.keyframe);
  }
  std::stable_sort(index.keyframes.begin(), index.keyframes.end(),
                   [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  if (!index.closed) {  // the writer was ended before it wrote totals
    totals_.keyframes = snapshots_.size();
    totals_.ordinals = places_.last_ordinal();
    index.totals = totals_;
  }
  index.chunks = std::move(chunks_);
  index.messages = std::move(messages_);
  index.ordinals = std::move(places_);
  index.notes.insert(index.notes.end(), notes_.begin(), notes_.end());
  index.surveyed = true;
}

void survey(ByteSource& source, FileIndex& index) {
  Survey survey;
  for (ChunkIndex& chunk : index.chunks) {
    const Instant start = chunk.start;
    const Instant end = chunk.end;
    const Status whole = survey.take(source, chunk);
    if (whole) continue;
    index.lost.push_back({chunk.offset, chunk.length, start, end, whole.error().message});
  }
  survey.finish(index);
}

}  // namespace drover::recording
