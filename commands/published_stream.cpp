#include "commands/published_stream.h"

#include <algorithm>
#include <utility>

#include "fleet/codec.h"
#include "fleet/socket.h"

namespace drover::commands {

namespace {

constexpr std::size_t held_max = 20'000;  // about a minute of a busy router
constexpr std::uint32_t parts_max = 4'096;
constexpr int patience = 5;  // wall seconds without another part: the request or a part was lost

/// What a snapshot holds too, and could set back.
bool is_state(const Message& body) {
  return std::holds_alternative<Alert>(body) || topic_of(body) == Topic::state;
}

}  // namespace

PublishedStream::Heard PublishedStream::receive(Instant now, Peer from, const Envelope& envelope) {
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    return receive_part(now, *part);
  }
  if (from.channel != Channel::publish) return {};
  // Samples keep the sequence of their agent.
  if (std::holds_alternative<SampleBatch>(envelope.body)) return {true, 0, {}};
  return receive_published(envelope);
}

PublishedStream::Heard PublishedStream::receive_published(const Envelope& envelope) {
  const std::uint64_t sequence = envelope.sequence;
  Heard heard{true, 0, {}};
  if (published_ > 0 && sequence == published_) return {};  // sent twice
  if (published_ > 0 && sequence < published_) {
    // The stream keeps its order, so it went back to the start: a new life of the router.
    held_.clear();
    at_sequence_ = last_missing_ = 0;
    want_snapshot();
  } else if (const std::uint64_t known = std::max(published_, at_sequence_);
             known > 0 && sequence > known + 1) {
    // Between the snapshot and the first news nothing was lost, we only did not listen yet; it has
    // to be fetched nevertheless.
    if (published_ > 0) heard.lost = sequence - known - 1;
    last_missing_ = sequence - 1;
    wanted_ = true;
  }
  published_ = sequence;
  if (!is_state(envelope.body)) return heard;
  if (sequence <= at_sequence_) heard.news = false;  // the snapshot holds it already, or newer
  if (heard.news && (wanted_ || pending_)) {
    if (held_.size() < held_max) {
      held_.push_back(envelope);
    } else {
      held_overflow_ = true;
    }
  }
  return heard;
}

PublishedStream::Heard PublishedStream::receive_part(Instant now, const SnapshotPart& part) {
  if (!pending_ || part.parts == 0 || part.parts > parts_max || part.part >= part.parts) return {};
  if (part.snapshot != gathering_ || part.parts != parts_.size()) {
    parts_.assign(part.parts, std::nullopt);
    gathering_ = part.snapshot;
    gathering_at_ = part.at_sequence;
  }
  asked_ = now;  // it is coming: patience starts again
  parts_[part.part] = part.messages;
  if (!std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.has_value(); })) {
    return {};
  }
  at_sequence_ = gathering_at_;
  Heard heard;
  heard.snapshot = joined();
  parts_.clear();
  held_.clear();
  pending_ = false;
  // What is missing behind the snapshot's place, it could not bring.
  wanted_ = std::exchange(held_overflow_, false) || last_missing_ > at_sequence_;
  return heard;
}

std::vector<Envelope> PublishedStream::joined() {
  std::vector<Envelope> messages;
  for (const auto& part : parts_) {
    for (const std::string& bytes : *part) {
      auto envelope = decode(bytes);
      // A snapshot holds no snapshots.
      if (envelope && !std::holds_alternative<SnapshotPart>(envelope->body)) {
        messages.push_back(std::move(*envelope));
      } else {
        ++undecodable_;
      }
    }
  }
  for (Envelope& envelope : held_) {
    if (envelope.sequence > at_sequence_) messages.push_back(std::move(envelope));
  }
  return messages;
}

void PublishedStream::want_snapshot() {
  wanted_ = true;
  pending_ = false;
}

bool PublishedStream::take_request(Instant now) {
  if (now < next_deadline()) return false;
  pending_ = true;
  wanted_ = false;
  asked_ = now;
  parts_.clear();
  return true;
}

Instant PublishedStream::next_deadline() const {
  if (asked_ == Instant::min()) return wanted_ ? Instant::min() : never;
  if (wanted_ && !pending_) return saturating_add(asked_, wall_);
  return pending_ ? saturating_add(asked_, patience * wall_) : never;
}

}  // namespace drover::commands
