// The dashboard's memory of its own stream: the received messages as encoded bytes, and copies of
// the model as keyframes. Memory is bounded; the oldest goes first. If one copy of the model takes
// more than half of the bound, only that copy is kept, and messages up to half of the bound.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "tui/history/timeline.h"

namespace drover::tui {

/// The default bound. A hundred devices at one sample per second fill it in some hours, 10,000 in
/// a minute or two.
inline constexpr std::size_t timeline_bytes_max = 64u << 20;
inline constexpr std::size_t timeline_markers_max = 2'000;

class InMemoryTimeline final : public Timeline {
 public:
  /// Begins with an empty model; `wall` is one wall second in fleet time.
  InMemoryTimeline(Instant start, Duration wall, std::size_t bytes_max = timeline_bytes_max);

  /// Adds what the subscriber is about to apply to the live model.
  /// `encoded`: the envelope as it came, if it did.
  void add(Instant at, const Envelope& envelope, std::string_view encoded = {});
  void add_part(Instant at, const Envelope& envelope, std::string_view encoded);  // of a snapshot
  void add(Instant at, StreamRecord::Kind turn);
  /// Called between additions: copies the live model as a keyframe if one is due.
  void watch(Instant at, const Model& model);
  /// Clears everything and begins with this model.
  void begin(Instant at, const Model& model);

  /// The position after the last record.
  std::uint64_t end() const { return position_; }
  std::size_t bytes() const { return bytes_; }

  /// Whether all records from `position` on are still kept.
  bool holds(std::uint64_t position) const;

  Instant first() const override;
  Instant last() const override { return last_; }
  ModelSnapshot keyframe(Instant at) const override;
  Instant keyframe_before(Instant at) const override;
  /// Keyframes are copies of the live model, so advancing gives the same model.
  bool can_advance_to(const ModelSnapshot& moment, Instant) const override {
    return holds(moment.position);
  }
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override;
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override;
  const std::vector<TimelineMarker>& markers() const override { return markers_; }

 private:
  struct Head {
    Instant at{};
    std::uint32_t offset = 0;
    std::uint32_t host = 0;  // of a batch in the stream: a hash of its host's name; else 0
    StreamRecord::Kind kind = StreamRecord::Kind::message;
    bool snapshot_part = false;
  };
  struct Chunk {
    std::unique_ptr<const Model> model;  // before the first of `heads`
    Instant model_at{};
    std::size_t model_bytes = 0;
    std::uint64_t position = 0;  // of the first of `heads`
    std::uint64_t before = 0;    // message bytes in all earlier chunks
    std::string bytes;
    std::vector<Head> heads;
  };
  void push(const Head& head, std::string_view bytes);
  void open_chunk(std::size_t room);
  void add_keyframe(Instant at, const Model& model, std::size_t model_bytes);
  std::size_t chunk_bytes() const;
  /// The upper bound of bytes() after `watch`.
  std::size_t bytes_limit(std::size_t model_bytes) const;
  void add_marker(Instant at, const Envelope& envelope);
  void thin_keyframes();
  bool make_room(std::size_t room, std::size_t limit);
  static std::string_view bytes_of(const Chunk& chunk, std::size_t index);
  const Chunk& keyframe_chunk(Instant at) const;

  Duration wall_;
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;                        // everything kept, models included
  std::uint64_t message_bytes_ = 0;              // of all messages ever added
  std::uint64_t message_bytes_at_keyframe_ = 0;  // message_bytes_ at the last keyframe
  std::uint64_t position_ = 0;
  Instant last_{};
  bool in_snapshot_ = false;
  std::deque<Chunk> chunks_;
  std::vector<TimelineMarker> markers_;
};

}  // namespace drover::tui
