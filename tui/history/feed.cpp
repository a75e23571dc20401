#include "tui/history/feed.h"

#include "fleet/codec/codec.h"

namespace drover::tui {

bool Feed::receive(Instant now, Peer from, const Envelope& envelope, Model& model) {
  const bool changed = take(now, from, envelope, model);
  if (memory_ != nullptr) memory_->watch(now, model);
  return changed;
}

bool Feed::take(Instant now, Peer from, const Envelope& envelope, Model& model) {
  const bool part = std::holds_alternative<SnapshotPart>(envelope.body);
  if (from.channel != Channel::publish && !part) return apply(now, envelope, model);
  const PublishedStream::Heard heard = stream_.receive(now, from, envelope);
  gaps_ += heard.lost;
  if (heard.restarted) {
    if (memory_ != nullptr) memory_->add(now, Heard::Kind::router_restarts);
    model.forget_decision_numbers();
  }
  bool changed = heard.news && apply(now, envelope, model);
  if (heard.snapshot) {
    take_snapshot(now, *heard.snapshot, model);
    changed = true;
  }
  return changed;
}

bool Feed::apply(Instant now, const Envelope& envelope, Model& model) {
  if (memory_ != nullptr) memory_->add(now, envelope);
  // Not what snapshots tell: their samples are of a moment before they came.
  const auto* batch = std::get_if<SampleBatch>(&envelope.body);
  if (history_ != nullptr && batch != nullptr && model.find_host(batch->host) != nullptr) {
    history_->take(now, *batch);
  }
  return model.apply(now, envelope);
}

void Feed::take_snapshot(Instant now, const std::vector<std::string>& messages, Model& model) {
  if (memory_ != nullptr) memory_->add(now, Heard::Kind::snapshot_begins);
  model.begin_snapshot();
  for (const std::string& bytes : messages) {
    const Result<Envelope> envelope = decode(bytes);
    if (!envelope) {
      ++undecodable_;
      continue;
    }
    if (memory_ != nullptr) memory_->add(now, bytes, *envelope);
    model.apply(now, *envelope);
  }
  if (memory_ != nullptr) memory_->add(now, Heard::Kind::snapshot_ends);
  model.end_snapshot(now);
  // Before the first one next to nothing was known, and there is nothing to go back to.
  if (memory_ != nullptr && snapshots_ == 0) memory_->begin(now, model);
  ++snapshots_;
}

std::optional<Envelope> Feed::take_request(Instant now) {
  if (!stream_.take_request(now)) return std::nullopt;
  return Envelope{"dashboard", ++asked_count_, now, SnapshotRequest{}};
}

}  // namespace drover::tui
