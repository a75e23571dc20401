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
// The parts of a snapshot follow each other. When none arrives for this many wall seconds, the
// request, a part or an update before it was lost.
constexpr int timeout_wall_s = 5;

/// Whether snapshots contain this kind of message, so that they could undo an update.
bool is_state(const Message& body) {
  return facts(body).publication == Publication::alerts || topic_of(body) == Topic::state;
}

}  // namespace

PublishedStream::StreamUpdate PublishedStream::receive(Instant now, Peer from,
                                                       const Envelope& envelope) {
  StreamUpdate update;
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    gather(now, *part);
  } else if (std::holds_alternative<SampleBatch>(envelope.body)) {
    update.is_new = from.channel == Channel::publish;  // samples keep the sequence of their agent
    return update;
  } else if (from.channel == Channel::publish) {
    update = receive_published(envelope);
  }
  update.snapshot = take_snapshot();
  return update;
}

PublishedStream::StreamUpdate PublishedStream::receive_published(const Envelope& envelope) {
  const std::uint64_t sequence = envelope.sequence;
  StreamUpdate update;
  if (published_ > 0 && sequence == published_) return update;  // sent twice
  if (published_ > 0 && sequence < published_) {
    // The stream is in order, so a lower number means that the router restarted.
    update.restarted = true;
    held_.clear();
    at_sequence_ = last_missing_ = 0;
    request_snapshot();
  } else if (const std::uint64_t known = std::max(published_, at_sequence_);
             known > 0 && sequence > known + 1) {
    // Before the first update nothing counts as lost, because the subscription was not active yet.
    // The missing messages must be fetched nevertheless.
    if (published_ > 0) update.lost = sequence - known - 1;
    last_missing_ = sequence - 1;
    wanted_ = true;
  }
  published_ = sequence;
  // After a first snapshot that preceded all updates: it contains this message or a newer one.
  update.is_new = !is_state(envelope.body) || sequence > at_sequence_;
  if (update.is_new && is_state(envelope.body) && (wanted_ || pending_)) {
    if (held_.size() < held_max) {
      held_.push_back(envelope);
    } else {
      held_overflow_ = true;
    }
  }
  return update;
}

void PublishedStream::gather(Instant now, const SnapshotPart& part) {
  if (!pending_ || part.parts == 0 || part.parts > parts_max || part.part >= part.parts) return;
  if (part.snapshot != gathering_ || part.parts != parts_.size()) {
    parts_.assign(part.parts, std::nullopt);
    parts_here_ = 0;
    gathering_ = part.snapshot;
    gathering_at_ = part.at_sequence;
  }
  asked_ = now;  // parts are arriving: restart the timeout
  if (parts_[part.part]) return;
  parts_[part.part] = part.messages;
  ++parts_here_;
}

std::optional<std::vector<std::string>> PublishedStream::take_snapshot() {
  const bool whole = pending_ && !parts_.empty() && parts_here_ == parts_.size();
  // Without any update so far, the stream begins with the snapshot.
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
  // Messages lost after the snapshot's sequence number are not in it: another one is needed.
  wanted_ = std::exchange(held_overflow_, false) || last_missing_ > at_sequence_;
  return messages;
}

void PublishedStream::request_snapshot() {
  wanted_ = true;
  pending_ = false;
}

bool PublishedStream::take_snapshot_request(Instant now) {
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
  return pending_ ? saturating_add(asked_, timeout_wall_s * wall_) : never;
}

}  // namespace drover
