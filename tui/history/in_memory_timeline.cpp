#include "tui/history/in_memory_timeline.h"

#include <algorithm>

#include "fleet/base/overloaded.h"
#include "fleet/codec/codec.h"

namespace drover::tui {
namespace {

constexpr std::size_t chunk_bytes_max = 256u << 10;
constexpr std::size_t chunk_share = 64;  // of the memory, if it is small
// The distance of two keyframes is at least this share of the memory and at least the size of a
// copy of the model. So models take at most half of the memory, and a step back takes little time.
constexpr std::size_t keyframe_share = 128;
// The distance of old keyframes is at most this share of the memory.
constexpr std::size_t keyframe_share_max = 16;
// The distance of two keyframes is at most a quarter of their age.
constexpr std::uint64_t thinning = 4;

std::uint32_t number_of(const std::string& host) {
  // A hash that avoids decoding most batches of other hosts; names are compared as well.
  std::uint32_t number = 2'166'136'261u;
  for (const char letter : host) {
    number = (number ^ static_cast<unsigned char>(letter)) * 16'777'619u;
  }
  return number | 1u;
}

}  // namespace

InMemoryTimeline::InMemoryTimeline(Instant start, Duration wall, std::size_t bytes_max)
    : wall_(wall), bytes_max_(bytes_max) {
  begin(start, Model(wall_));
}

void InMemoryTimeline::begin(Instant at, const Model& model) {
  chunks_.clear();
  markers_.clear();
  bytes_ = 0;
  last_ = at;
  in_snapshot_ = false;
  add_keyframe(at, model, model.bytes());
}

void InMemoryTimeline::add_keyframe(Instant at, const Model& model, std::size_t model_bytes) {
  message_bytes_at_keyframe_ = message_bytes_;
  open_chunk(chunk_bytes());
  Chunk& chunk = chunks_.back();
  chunk.model = std::make_unique<const Model>(model);
  chunk.model_at = at;
  chunk.model_bytes = model_bytes;
  bytes_ += model_bytes;
}

std::size_t InMemoryTimeline::chunk_bytes() const {
  return std::min(chunk_bytes_max, bytes_max_ / chunk_share);
}

std::size_t InMemoryTimeline::bytes_limit(std::size_t model_bytes) const {
  return std::max(bytes_max_, model_bytes + bytes_max_ / 2);
}

void InMemoryTimeline::open_chunk(std::size_t room) {
  if (!chunks_.empty()) {
    std::string& full = chunks_.back().bytes;
    bytes_ -= full.capacity();
    full.shrink_to_fit();
    bytes_ += full.capacity();
  }
  Chunk chunk;
  chunk.position = position_;
  chunk.before = message_bytes_;
  chunk.bytes.reserve(room);
  bytes_ += chunk.bytes.capacity();
  chunks_.push_back(std::move(chunk));
}

void InMemoryTimeline::push(const Head& head, std::string_view bytes) {
  const Chunk& last = chunks_.back();
  if (last.bytes.size() + bytes.size() > last.bytes.capacity()) {
    open_chunk(std::max(chunk_bytes(), bytes.size()));
  }
  Chunk& chunk = chunks_.back();
  chunk.heads.push_back(head);
  chunk.heads.back().offset = static_cast<std::uint32_t>(chunk.bytes.size());
  chunk.bytes.append(bytes);
  bytes_ += sizeof(Head);
  message_bytes_ += bytes.size() + sizeof(Head);
  ++position_;
  last_ = std::max(last_, head.at);
}

void InMemoryTimeline::add(Instant at, const Envelope& envelope, std::string_view encoded) {
  if (!Model::handles(envelope.body)) return;
  Head head{.at = at};
  std::visit(Overloaded{[&](const SampleBatch& batch) { head.host = number_of(batch.host); },
                        [](const JobChanged&) {}, [&](const auto&) { add_marker(at, envelope); }},
             envelope.body);
  if (encoded.empty()) return push(head, encode(envelope));
  push(head, encoded);
}

void InMemoryTimeline::add_part(Instant at, const Envelope& envelope, std::string_view encoded) {
  if (Model::handles(envelope.body)) push({.at = at, .snapshot_part = true}, encoded);
}

void InMemoryTimeline::add(Instant at, StreamRecord::Kind turn) {
  in_snapshot_ = turn == StreamRecord::Kind::snapshot_begins;
  push({.at = at, .kind = turn}, {});
}

void InMemoryTimeline::add_marker(Instant at, const Envelope& envelope) {
  std::optional<TimelineMarker> marker = timeline_marker_of({.at = at, .envelope = envelope});
  if (!marker) return;
  if (markers_.size() >= timeline_markers_max)
    markers_.erase(markers_.begin(), markers_.begin() + timeline_markers_max / 4);
  markers_.push_back(*std::move(marker));
}

void InMemoryTimeline::watch(Instant at, const Model& model) {
  if (in_snapshot_) return;
  const std::uint64_t since = message_bytes_ - message_bytes_at_keyframe_;
  if (since < bytes_max_ / keyframe_share && bytes_ <= bytes_max_) return;
  const std::size_t model_bytes = model.bytes();
  const std::size_t limit = bytes_limit(model_bytes);
  const bool due = since >= std::max(model_bytes, bytes_max_ / keyframe_share);
  if (due && make_room(model_bytes + chunk_bytes(), limit)) {
    add_keyframe(at, model, model_bytes);
    thin_keyframes();
  } else if (!make_room(0, limit)) {
    begin(at, model);
  }
}

/// Drops keyframes so that their distance grows with their age.
void InMemoryTimeline::thin_keyframes() {
  Chunk* before = nullptr;
  Chunk* middle = nullptr;
  for (Chunk& chunk : chunks_) {
    if (!chunk.model) continue;
    if (before != nullptr && middle != nullptr) {
      const std::uint64_t distance = chunk.before - before->before;
      const std::uint64_t age = message_bytes_ - chunk.before;
      if (distance <= age / thinning && distance <= bytes_max_ / keyframe_share_max) {
        middle->model.reset();
        bytes_ -= std::exchange(middle->model_bytes, 0);
        middle = &chunk;
        continue;
      }
    }
    before = middle;
    middle = &chunk;
  }
}

/// Drops the oldest chunks as long as a later keyframe remains. Returns whether that suffices.
bool InMemoryTimeline::make_room(std::size_t room, std::size_t limit) {
  bool dropped = false;
  while (bytes_ + room > limit) {
    const auto next = std::find_if(chunks_.begin() + 1, chunks_.end(),
                                   [](const Chunk& chunk) { return chunk.model != nullptr; });
    if (next == chunks_.end()) break;
    for (auto chunk = chunks_.begin(); chunk != next; ++chunk) {
      bytes_ -= chunk->bytes.capacity() + chunk->heads.size() * sizeof(Head) + chunk->model_bytes;
    }
    chunks_.erase(chunks_.begin(), next);
    dropped = true;
  }
  if (dropped)
    std::erase_if(markers_, [&](const TimelineMarker& mark) { return mark.at < first(); });
  return bytes_ + room <= limit;
}

Instant InMemoryTimeline::first() const { return chunks_.front().model_at; }

const InMemoryTimeline::Chunk& InMemoryTimeline::keyframe_chunk(Instant at) const {
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    if (chunk->model && chunk->model_at <= at) return *chunk;
  }
  return chunks_.front();
}

ModelSnapshot InMemoryTimeline::keyframe(Instant at) const {
  const Chunk& chunk = keyframe_chunk(at);
  return {chunk.model_at, chunk.position, *chunk.model, chunk.model_at};
}

Instant InMemoryTimeline::keyframe_before(Instant at) const { return keyframe_chunk(at).model_at; }

bool InMemoryTimeline::holds(std::uint64_t position) const {
  return position >= chunks_.front().position;
}

std::string_view InMemoryTimeline::bytes_of(const Chunk& chunk, std::size_t index) {
  const std::size_t begin = chunk.heads[index].offset;
  const std::size_t end =
      index + 1 < chunk.heads.size() ? chunk.heads[index + 1].offset : chunk.bytes.size();
  return std::string_view(chunk.bytes).substr(begin, end - begin);
}

std::uint64_t InMemoryTimeline::visit(std::uint64_t position, Instant to,
                                      const Visit& visit) const {
  DROVER_REQUIRE(holds(position));
  auto chunk = std::partition_point(chunks_.begin(), chunks_.end(), [&](const Chunk& candidate) {
    return candidate.position + candidate.heads.size() <= position;
  });
  for (; chunk != chunks_.end(); ++chunk) {
    for (std::size_t i = position - chunk->position; i < chunk->heads.size(); ++i, ++position) {
      const Head& head = chunk->heads[i];
      if (head.at > to) return position;
      StreamRecord record{.kind = head.kind, .at = head.at, .snapshot_part = head.snapshot_part};
      if (head.kind == StreamRecord::Kind::message) {
        Result<Envelope> envelope = decode(bytes_of(*chunk, i));
        if (!envelope) continue;  // encoded here, so it cannot be a received message
        record.envelope = std::move(*envelope);
      }
      visit(record);
    }
  }
  return position;
}

void InMemoryTimeline::visit_batches(const std::string& host, Instant from, Instant to,
                                     const VisitBatch& visit) const {
  const std::uint32_t number = number_of(host);
  const auto is_other = [&](const Head& head) {
    return head.host == 0 || (!host.empty() && head.host != number);
  };
  const auto later = [&](Instant at, const Head& head) { return at < head.at; };
  for (const Chunk& chunk : chunks_) {
    if (chunk.heads.empty() || chunk.heads.back().at <= from) continue;
    if (chunk.heads.front().at > to) return;
    const auto begin = std::upper_bound(chunk.heads.begin(), chunk.heads.end(), from, later);
    const auto end = std::upper_bound(begin, chunk.heads.end(), to, later);
    for (auto head = begin; head != end; ++head) {
      if (is_other(*head)) continue;
      const auto envelope =
          decode(bytes_of(chunk, static_cast<std::size_t>(head - chunk.heads.begin())));
      if (!envelope) continue;
      const auto* batch = std::get_if<SampleBatch>(&envelope->body);
      if (batch != nullptr && (host.empty() || batch->host == host)) visit(head->at, *batch);
    }
  }
}

}  // namespace drover::tui
