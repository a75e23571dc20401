#include "tui/feed.h"

#include <algorithm>
#include <utility>

#include "fleet/codec.h"

namespace drover::tui {
namespace {

// Parts of one snapshot follow each other; when none came for so many wall seconds, the request or
// a part was lost.
constexpr int snapshot_patience = 5;

bool is_state(const Message& body) {
  return std::holds_alternative<HostChanged>(body) ||
         std::holds_alternative<ReplicaChanged>(body) || std::holds_alternative<JobChanged>(body);
}

}  // namespace

bool Feed::receive(Instant now, Peer from, const Envelope& envelope, Model& model) {
  const bool changed = take(now, from, envelope, model);
  if (memory_ != nullptr) memory_->watch(now, model);
  return changed;
}

bool Feed::take(Instant now, Peer from, const Envelope& envelope, Model& model) {
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    return receive_part(now, *part, model);
  }
  // Samples keep the sequence of their agent, which the model follows host by host.
  if (std::holds_alternative<SampleBatch>(envelope.body)) return apply(now, envelope, model);
  if (from.channel == Channel::publish && !receive_published(now, envelope, model)) return false;
  return apply(now, envelope, model);
}

bool Feed::apply(Instant now, const Envelope& envelope, Model& model) {
  if (memory_ != nullptr) memory_->add(now, envelope);
  return model.apply(now, envelope);
}

bool Feed::receive_published(Instant now, const Envelope& envelope, Model& model) {
  const std::uint64_t sequence = envelope.sequence;
  if (published_ > 0 && sequence == published_) return false;  // sent twice
  if (published_ > 0 && sequence < published_) {
    // The stream keeps its order, so it went back to the start: a new life of the router.
    if (memory_ != nullptr) memory_->add(now, Heard::Kind::router_restarts);
    model.forget_decision_numbers();
    held_.clear();
    at_sequence_ = 0;
    last_missing_ = 0;
    want_snapshot();
  } else if (const std::uint64_t known = std::max(published_, at_sequence_);
             known > 0 && sequence > known + 1) {
    // Between the snapshot and the first news, nothing was lost: we did not listen yet. It has to
    // be fetched nevertheless.
    if (published_ > 0) gaps_ += sequence - known - 1;
    last_missing_ = sequence - 1;
    wanted_ = true;
  }
  published_ = sequence;
  if (!is_state(envelope.body)) return true;
  if (sequence <= at_sequence_) return false;  // the snapshot holds it already, or newer
  if (wanted_ || pending_) {
    if (held_.size() < held_envelopes_max) {
      held_.push_back(envelope);
    } else {
      held_overflow_ = true;
    }
  }
  return true;
}

bool Feed::receive_part(Instant now, const SnapshotPart& part, Model& model) {
  if (!pending_ || part.parts == 0 || part.parts > snapshot_parts_max || part.part >= part.parts) {
    return false;
  }
  if (parts_.empty() || part.snapshot != part_snapshot_ || part.parts != parts_.size()) {
    parts_.assign(part.parts, std::nullopt);
    parts_here_ = 0;
    part_snapshot_ = part.snapshot;
    at_sequence_ = part.at_sequence;
  }
  asked_ = now;  // it is coming: patience starts again
  if (!parts_[part.part]) {
    parts_[part.part] = part.messages;
    ++parts_here_;
  }
  if (parts_here_ < parts_.size()) return false;
  finish_snapshot(now, model);
  return true;
}

void Feed::finish_snapshot(Instant now, Model& model) {
  if (memory_ != nullptr) memory_->add(now, Heard::Kind::snapshot_begins);
  model.begin_snapshot();
  for (const auto& part : parts_) {
    for (const std::string& bytes : *part) {
      const Result<Envelope> envelope = decode(bytes);
      if (envelope) {
        if (memory_ != nullptr) memory_->add(now, bytes, *envelope);
        model.apply(now, *envelope);
      } else {
        ++undecodable_;
      }
    }
  }
  for (const Envelope& envelope : held_) {
    if (envelope.sequence <= at_sequence_) continue;
    if (memory_ != nullptr) memory_->add(now, envelope, true);
    model.apply(now, envelope);
  }
  if (memory_ != nullptr) memory_->add(now, Heard::Kind::snapshot_ends);
  model.end_snapshot(now);
  // Before the first one next to nothing was known, and there is nothing to go back to.
  if (memory_ != nullptr && snapshots_ == 0) memory_->begin(now, model);
  parts_.clear();
  held_.clear();
  pending_ = false;
  // What is missing behind the snapshot's place, it could not bring.
  wanted_ = std::exchange(held_overflow_, false) || last_missing_ > at_sequence_;
  ++snapshots_;
}

void Feed::want_snapshot() {
  wanted_ = true;
  pending_ = false;
}

std::optional<Envelope> Feed::take_request(Instant now) {
  if (now < next_deadline()) return std::nullopt;
  pending_ = true;
  wanted_ = false;
  asked_ = now;
  parts_.clear();
  parts_here_ = 0;
  return Envelope{"dashboard", ++asked_count_, now, SnapshotRequest{}};
}

Instant Feed::next_deadline() const {
  if (asked_ == Instant::min()) return wanted_ ? Instant::min() : never;
  if (wanted_ && !pending_) return saturating_add(asked_, wall_);
  if (pending_) return saturating_add(asked_, snapshot_patience * wall_);
  return never;
}

}  // namespace drover::tui
