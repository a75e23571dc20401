// Look-ups in a recording: keyframes and whole channels.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "fleet/recording/format/layout.h"
#include "fleet/recording/reader.h"

namespace drover {
namespace {

using recording::ChunkIndex;
using recording::in_order;
using recording::JournaledMessage;
using recording::MessageView;
using recording::OpenChunk;
using recording::Snapshots;

using Messages = std::vector<RecordedMessage>;

Keyframe joined(std::map<std::uint32_t, RecordedMessage>& parts) {
  Keyframe keyframe{parts.begin()->second.arrived, parts.begin()->second.ordinal, {}};
  for (auto& [number, row] : parts) {
    auto& messages = std::get<SnapshotPart>(row.envelope.body).messages;
    std::move(messages.begin(), messages.end(), std::back_inserter(keyframe.messages));
  }
  return keyframe;
}

}  // namespace

Result<std::optional<Keyframe>> RecordingReader::keyframe_before(Instant at) {
  if (index_.surveyed) {
    const auto& all = index_.keyframes;
    const auto last = std::find_if(all.rbegin(), all.rend(),
                                   [&](const auto& keyframe) { return keyframe.at <= at; });
    if (last == all.rend()) return std::optional<Keyframe>{};
    DROVER_ASSIGN(auto keyframe, read(*last));
    return std::optional(std::move(keyframe));
  }
  Snapshots parts;
  for (std::size_t i = index_.chunks.size(); i > 0; --i) {
    const ChunkIndex& chunk = index_.chunks[i - 1];
    if (!chunk.holds(RecordingChannel::keyframes) || chunk.start > at) continue;
    DROVER_TRY(add_parts(chunk, at, parts));
    for (auto whole = parts.rbegin(); whole != parts.rend(); ++whole) {
      const RecordedMessage& any = whole->second.begin()->second;
      if (whole->second.size() != std::get<SnapshotPart>(any.envelope.body).parts) continue;
      return std::optional(joined(whole->second));
    }
  }
  return std::optional<Keyframe>{};
}

// Adds the parts in the chunk that arrived at or before `at`.
Status RecordingReader::add_parts(const ChunkIndex& chunk, Instant at, Snapshots& parts) {
  DROVER_ASSIGN(const auto open, cache_.get(chunk));
  for (const MessageView& message : open->messages) {
    if (message.channel != static_cast<std::uint16_t>(RecordingChannel::keyframes)) continue;
    DROVER_ASSIGN(auto row, recording::row_of(message, chunk));
    const auto* part = std::get_if<SnapshotPart>(&row.envelope.body);
    if (part == nullptr || row.arrived > at) continue;
    const std::uint64_t snapshot = part->snapshot;
    const std::uint32_t number = part->part;
    parts[snapshot].insert_or_assign(number, std::move(row));
  }
  return {};
}

const std::vector<recording::SurveyedKeyframe>& RecordingReader::keyframes() const {
  DROVER_REQUIRE(index_.surveyed);
  return index_.keyframes;
}

Result<Keyframe> RecordingReader::read(const recording::SurveyedKeyframe& keyframe) {
  Snapshots parts;
  for (std::size_t i = keyframe.first_chunk; i <= keyframe.last_chunk; ++i) {
    const ChunkIndex& chunk = index_.chunks.at(i);
    if (!chunk.holds(RecordingChannel::keyframes)) continue;
    DROVER_TRY(add_parts(chunk, Instant::max(), parts));
  }
  const auto found = parts.find(keyframe.snapshot);
  if (found == parts.end())
    return error("keyframe {}: none of its parts was found", keyframe.snapshot);
  return joined(found->second);
}

Result<Messages> RecordingReader::all_of(RecordingChannel channel) {
  Messages messages;
  for (const ChunkIndex& chunk : index_.chunks) {
    if (!chunk.holds(channel)) continue;
    DROVER_ASSIGN(const auto open, recording::open_chunk(source_, chunk));
    for (const MessageView& message : open->messages) {
      if (message.channel != static_cast<std::uint16_t>(channel)) continue;
      DROVER_ASSIGN(auto row, recording::row_of(message, chunk));
      messages.push_back(std::move(row));
    }
  }
  for (const JournaledMessage& one : journal_) {
    if (one.channel == channel) messages.push_back(one.recorded);
  }
  in_order(messages);
  return messages;
}

Result<Messages> RecordingReader::alerts() { return all_of(RecordingChannel::alerts); }
Result<Messages> RecordingReader::events() { return all_of(RecordingChannel::events); }
Result<Messages> RecordingReader::bookmarks() { return all_of(RecordingChannel::bookmarks); }

Result<std::vector<DroppedMessages>> RecordingReader::drops() {
  std::vector<DroppedMessages> drops;
  for (const ChunkIndex& chunk : index_.chunks) {
    if (!chunk.holds(RecordingChannel::drops)) continue;
    DROVER_ASSIGN(const auto open, cache_.get(chunk));
    for (const MessageView& message : open->messages) {
      if (message.channel != static_cast<std::uint16_t>(RecordingChannel::drops)) continue;
      const auto one = recording::unpacked_map<DroppedMessages>(message.data);
      if (!one) return error("byte {}: {}", chunk.offset, one.error().message);
      drops.push_back(*one);
    }
  }
  drops.insert(drops.end(), journaled_drops_.begin(), journaled_drops_.end());
  return drops;
}

}  // namespace drover
