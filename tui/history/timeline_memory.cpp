#include "tui/history/timeline_memory.h"

#include <algorithm>
#include <functional>

#include "fleet/codec/codec.h"

namespace drover::tui {
namespace {

constexpr std::size_t chunk_bytes_most = 256u << 10;
constexpr std::size_t chunk_share = 64;  // of the memory, where it is small
// Between two keyframes lies at least this share of the memory, and at least as much news as a copy
// of the model takes: so models take half of the memory at most, and a step back little time.
constexpr std::size_t keyframe_share = 128;
// Far back, keyframes stand no farther apart than this share of the memory.
constexpr std::size_t keyframe_share_most = 16;
// A quarter of the way back to it: the distance of a keyframe from the next.
constexpr std::uint64_t thinning = 4;

std::uint32_t number_of(const std::string& host) {
  // Any number will do: it saves decoding most batches of other hosts, and names are compared.
  std::uint32_t number = 2'166'136'261u;
  for (const char letter : host) {
    number = (number ^ static_cast<unsigned char>(letter)) * 16'777'619u;
  }
  return number | 1u;
}

}  // namespace

MemoryTimeline::MemoryTimeline(Instant start, Duration wall, std::size_t bytes_max)
    : wall_(wall), bytes_max_(bytes_max) {
  begin(start, Model(wall_));
}

void MemoryTimeline::begin(Instant at, const Model& model) {
  chunks_.clear();
  marks_.clear();
  bytes_ = 0;
  last_ = at;
  in_snapshot_ = false;
  add_keyframe(at, model, model.bytes());
}

void MemoryTimeline::add_keyframe(Instant at, const Model& model, std::size_t model_bytes) {
  model_news_ = news_bytes_;
  open_chunk(chunk_bytes());
  Chunk& chunk = chunks_.back();
  chunk.model = std::make_unique<const Model>(model);
  chunk.model_at = at;
  chunk.model_bytes = model_bytes;
  bytes_ += model_bytes;
}

std::size_t MemoryTimeline::chunk_bytes() const {
  return std::min(chunk_bytes_most, bytes_max_ / chunk_share);
}

std::size_t MemoryTimeline::bytes_limit(std::size_t model_bytes) const {
  return std::max(bytes_max_, model_bytes + bytes_max_ / 2);
}

void MemoryTimeline::open_chunk(std::size_t room) {
  if (!chunks_.empty()) {
    std::string& full = chunks_.back().bytes;
    bytes_ -= full.capacity();
    full.shrink_to_fit();
    bytes_ += full.capacity();
  }
  Chunk chunk;
  chunk.position = position_;
  chunk.before = news_bytes_;
  chunk.bytes.reserve(room);
  bytes_ += chunk.bytes.capacity();
  chunks_.push_back(std::move(chunk));
}

void MemoryTimeline::push(const Head& head, std::string_view bytes) {
  const Chunk& last = chunks_.back();
  if (last.bytes.size() + bytes.size() > last.bytes.capacity()) {
    open_chunk(std::max(chunk_bytes(), bytes.size()));
  }
  Chunk& chunk = chunks_.back();
  chunk.heads.push_back(head);
  chunk.heads.back().offset = static_cast<std::uint32_t>(chunk.bytes.size());
  chunk.bytes.append(bytes);
  bytes_ += sizeof(Head);
  news_bytes_ += bytes.size() + sizeof(Head);
  ++position_;
  last_ = std::max(last_, head.at);
}

void MemoryTimeline::add(Instant at, const Envelope& envelope) {
  if (!Model::hears(envelope.body)) return;
  Head head{.at = at};
  if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    head.host = number_of(batch->host);
  } else if (!std::holds_alternative<JobChanged>(envelope.body)) {
    remember_mark(at, envelope);
  }
  push(head, encode(envelope));
}

void MemoryTimeline::add(Instant at, std::string_view encoded, const Envelope& envelope) {
  if (Model::hears(envelope.body)) push({.at = at, .snapshot_part = true}, encoded);
}

void MemoryTimeline::add(Instant at, Heard::Kind turn) {
  in_snapshot_ = turn == Heard::Kind::snapshot_begins;
  push({.at = at, .kind = turn}, {});
}

void MemoryTimeline::remember_mark(Instant at, const Envelope& envelope) {
  Mark mark;
  if (!is_mark({.at = at, .envelope = envelope}, mark)) return;
  if (marks_.size() >= marks_max) marks_.erase(marks_.begin(), marks_.begin() + marks_max / 4);
  marks_.push_back(std::move(mark));
}

void MemoryTimeline::watch(Instant at, const Model& model) {
  if (in_snapshot_) return;
  const std::uint64_t since = news_bytes_ - model_news_;
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

/// The farther back, the farther apart.
void MemoryTimeline::thin_keyframes() {
  Chunk* before = nullptr;
  Chunk* middle = nullptr;
  for (Chunk& chunk : chunks_) {
    if (!chunk.model) continue;
    if (before != nullptr && middle != nullptr) {
      const std::uint64_t distance = chunk.before - before->before;
      const std::uint64_t age = news_bytes_ - chunk.before;
      if (distance <= age / thinning && distance <= bytes_max_ / keyframe_share_most) {
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

/// The oldest goes, as far as there is a later model to begin with; answers whether that will do.
bool MemoryTimeline::make_room(std::size_t room, std::size_t limit) {
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
  if (dropped) std::erase_if(marks_, [&](const Mark& mark) { return mark.at < first(); });
  return bytes_ + room <= limit;
}

std::size_t MemoryTimeline::keyframes() const {
  return static_cast<std::size_t>(std::count_if(
      chunks_.begin(), chunks_.end(), [](const Chunk& chunk) { return chunk.model != nullptr; }));
}

Instant MemoryTimeline::first() const { return chunks_.front().model_at; }

const MemoryTimeline::Chunk& MemoryTimeline::keyframe_chunk(Instant at) const {
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    if (chunk->model && chunk->model_at <= at) return *chunk;
  }
  return chunks_.front();
}

Moment MemoryTimeline::keyframe(Instant at) const {
  const Chunk& chunk = keyframe_chunk(at);
  return {chunk.model_at, chunk.position, *chunk.model, chunk.model_at};
}

Instant MemoryTimeline::keyframe_before(Instant at) const { return keyframe_chunk(at).model_at; }

bool MemoryTimeline::holds(std::uint64_t position) const {
  return position >= chunks_.front().position;
}

std::string_view MemoryTimeline::bytes_of(const Chunk& chunk, std::size_t index) {
  const std::size_t begin = chunk.heads[index].offset;
  const std::size_t end =
      index + 1 < chunk.heads.size() ? chunk.heads[index + 1].offset : chunk.bytes.size();
  return std::string_view(chunk.bytes).substr(begin, end - begin);
}

std::uint64_t MemoryTimeline::visit(std::uint64_t position, Instant to, const Visit& visit) const {
  DROVER_REQUIRE(holds(position));
  auto chunk = std::partition_point(chunks_.begin(), chunks_.end(), [&](const Chunk& candidate) {
    return candidate.position + candidate.heads.size() <= position;
  });
  for (; chunk != chunks_.end(); ++chunk) {
    for (std::size_t i = position - chunk->position; i < chunk->heads.size(); ++i, ++position) {
      const Head& head = chunk->heads[i];
      if (head.at > to) return position;
      Heard heard{.kind = head.kind, .at = head.at, .snapshot_part = head.snapshot_part};
      if (head.kind == Heard::Kind::news) {
        Result<Envelope> envelope = decode(bytes_of(*chunk, i));
        if (!envelope) continue;  // it came from here and was no valid message: nobody sent it
        heard.envelope = std::move(*envelope);
      }
      visit(heard);
    }
  }
  return position;
}

void MemoryTimeline::visit_batches(const std::string& host, Instant from, Instant to,
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
