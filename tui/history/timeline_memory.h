// The dashboard's memory of its own stream: what it heard as encoded bytes, and copies of the model
// to start from. Memory is bounded; the oldest goes first. A model so great that one copy takes
// more than half of the bound has that copy and half the bound for news.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>

#include "tui/history/timeline.h"

namespace drover::tui {

/// Where nobody says otherwise. A hundred devices at one sample a second fill it in some hours,
/// 10,000 in a minute or two.
inline constexpr std::size_t memory_bytes_max = 64u << 20;
inline constexpr std::size_t marks_max = 2'000;

class MemoryTimeline final : public Timeline {
 public:
  /// Begins with an empty model; `wall` is one wall second in fleet time.
  MemoryTimeline(Instant start, Duration wall, std::size_t bytes_max = memory_bytes_max);

  /// What the feed does to the live model, before it does it.
  void add(Instant at, const Envelope& envelope);
  void add(Instant at, std::string_view encoded, const Envelope& envelope);  // of a snapshot
  void add(Instant at, Heard::Kind turn);
  /// Between two of these, now and then: takes a copy of the live model where one is due.
  void watch(Instant at, const Model& model);
  /// Forgets all, and begins with this model.
  void begin(Instant at, const Model& model);

  /// The position behind all that was heard.
  std::uint64_t end() const { return position_; }
  std::size_t bytes() const { return bytes_; }
  /// What bytes() never is above after `watch`.
  std::size_t bytes_limit(std::size_t model_bytes) const;
  std::size_t keyframes() const;
  /// Whether all from `position` on is still there.
  bool holds(std::uint64_t position) const;

  Instant first() const override;
  Instant last() const override { return last_; }
  Moment keyframe(Instant at) const override;
  Instant keyframe_before(Instant at) const override;
  /// Keyframes are copies of the live model, so whatever is still kept leads to the same.
  bool leads_to(const Moment& moment, Instant) const override { return holds(moment.position); }
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override;
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override;
  const std::vector<Mark>& marks() const override { return marks_; }

 private:
  struct Head {
    Instant at{};
    std::uint32_t offset = 0;
    std::uint32_t host = 0;  // of a batch of the stream: a number made of its host's name; else 0
    Heard::Kind kind = Heard::Kind::news;
    bool snapshot_part = false;
  };
  struct Chunk {
    std::unique_ptr<const Model> model;  // as it was before the first of `heads`
    Instant model_at{};
    std::size_t model_bytes = 0;
    std::uint64_t position = 0;  // of the first of `heads`
    std::uint64_t before = 0;    // bytes of news in all chunks before
    std::string bytes;
    std::vector<Head> heads;
  };
  void push(const Head& head, std::string_view bytes);
  void open_chunk(std::size_t room);
  void add_keyframe(Instant at, const Model& model, std::size_t model_bytes);
  std::size_t chunk_bytes() const;
  void remember_mark(Instant at, const Envelope& envelope);
  void thin_keyframes();
  bool make_room(std::size_t room, std::size_t limit);
  static std::string_view bytes_of(const Chunk& chunk, std::size_t index);
  const Chunk& keyframe_chunk(Instant at) const;

  Duration wall_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;         // all that is kept, models included
  std::uint64_t news_bytes_ = 0;  // of all news ever
  std::uint64_t model_news_ = 0;  // the same when the last keyframe was taken
  std::uint64_t position_ = 0;
  Instant last_{};
  bool in_snapshot_ = false;
  std::deque<Chunk> chunks_;
  std::vector<Mark> marks_;
};

}  // namespace drover::tui
