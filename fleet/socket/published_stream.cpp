#include "fleet/socket/published_stream.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/socket/socket.h"

namespace drover {

namespace {

constexpr std::size_t held_max = 20'000;    // about a minute of a busy router
constexpr std::uint32_t parts_max = 4'096;  // of 256 KiB: one GiB
// Parts of one snapshot follow each other; when none came for so many wall seconds, the request, a
// part or the news before it was lost.
constexpr int patience = 5;

/// What a snapshot holds too, and could set back.
bool is_state(const Message& body) {
  return std::holds_alternative<Alert>(body) || topic_of(body) == Topic::state;
}

}  // namespace

PublishedStream::Heard PublishedStream::receive(Instant now, Peer from, const Envelope& envelope) {
  Heard heard;
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    gather(now, *part);
  } else if (std::holds_alternative<SampleBatch>(envelope.body)) {
    heard.news = from.channel == Channel::publish;  // samples keep the sequence of their agent
    return heard;
  } else if (from.channel == Channel::publish) {
    heard = receive_published(envelope);
  }
  heard.snapshot = take_snapshot();
  return heard;
}

PublishedStream::Heard PublishedStream::receive_published(const Envelope& envelope) {
  const std::uint64_t sequence = envelope.sequence;
  Heard heard;
  if (published_ > 0 && sequence == published_) return heard;  // sent twice
  if (published_ > 0 && sequence < published_) {
    // The stream keeps its order, so it went back to the start: a new life of the router.
    heard.restarted = true;
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
  // Only behind a first snapshot, before any news: it holds this already, or newer.
  heard.news = !is_state(envelope.body) || sequence > at_sequence_;
  if (heard.news && is_state(envelope.body) && (wanted_ || pending_)) {
    if (held_.size() < held_max) {
      held_.push_back(envelope);
    } else {
      held_overflow_ = true;
    }
  }
  return heard;
}

void PublishedStream::gather(Instant now, const SnapshotPart& part) {
  if (!pending_ || part.parts == 0 || part.parts > parts_max || part.part >= part.parts) return;
  if (part.snapshot != gathering_ || part.parts != parts_.size()) {
    parts_.assign(part.parts, std::nullopt);
    parts_here_ = 0;
    gathering_ = part.snapshot;
    gathering_at_ = part.at_sequence;
  }
  asked_ = now;  // it is coming: patience starts again
  if (parts_[part.part]) return;
  parts_[part.part] = part.messages;
  ++parts_here_;
}

std::optional<std::vector<std::string>> PublishedStream::take_snapshot() {
  const bool whole = pending_ && !parts_.empty() && parts_here_ == parts_.size();
  // Who has heard nothing yet begins with the snapshot: nothing is late.
  if (!whole || (published_ > 0 && published_ < gathering_at_)) return std::nullopt;
  at_sequence_ = gathering_at_;
  std::vector<std::string> messages;
  for (auto& part : parts_) {
    std::move(part->begin(), part->end(), std::back_inserter(messages));
  }
  for (const Envelope& envelope : held_) {
    if (envelope.sequence > at_sequence_) messages.push_back(encode(envelope));
  }
  parts_.clear();
  held_.clear();
  pending_ = false;
  // What is missing behind the snapshot's place, it could not bring.
  wanted_ = std::exchange(held_overflow_, false) || last_missing_ > at_sequence_;
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
  parts_here_ = 0;
  return true;
}

Instant PublishedStream::next_deadline() const {
  if (asked_ == Instant::min()) return wanted_ ? Instant::min() : never;
  if (wanted_ && !pending_) return saturating_add(asked_, wall_);
  return pending_ ? saturating_add(asked_, patience * wall_) : never;
}

}  // namespace drover
