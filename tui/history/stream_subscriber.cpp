#include "tui/history/stream_subscriber.h"

#include "fleet/codec/codec.h"

namespace drover::tui {

bool StreamSubscriber::receive(Instant now, Peer from, const Envelope& envelope, Model& model,
                               std::string_view encoded) {
  const bool changed = take(now, from, envelope, model, encoded);
  if (memory_ != nullptr) memory_->watch(now, model);
  return changed;
}

bool StreamSubscriber::take(Instant now, Peer from, const Envelope& envelope, Model& model,
                            std::string_view encoded) {
  const bool part = std::holds_alternative<SnapshotPart>(envelope.body);
  if (from.channel != Channel::publish && !part) return apply(now, envelope, model, encoded);
  const PublishedStream::StreamUpdate update = stream_.receive(now, from, envelope);
  gaps_ += update.lost;
  if (update.restarted) {
    if (memory_ != nullptr) memory_->add(now, StreamRecord::Kind::router_restarts);
    model.forget_decision_numbers();
  }
  bool changed = update.is_new && apply(now, envelope, model, encoded);
  if (update.snapshot) {
    take_snapshot(now, *update.snapshot, model);
    changed = true;
  }
  return changed;
}

bool StreamSubscriber::apply(Instant now, const Envelope& envelope, Model& model,
                             std::string_view encoded) {
  if (memory_ != nullptr) memory_->add(now, envelope, encoded);
  // Samples of snapshots are not added, as they are older than their arrival.
  const auto* batch = std::get_if<SampleBatch>(&envelope.body);
  if (history_ != nullptr && batch != nullptr && model.find_host(batch->host) != nullptr) {
    history_->take(now, *batch);
  }
  return model.apply(now, envelope);
}

void StreamSubscriber::take_snapshot(Instant now, const std::vector<std::string>& messages,
                                     Model& model) {
  if (memory_ != nullptr) memory_->add(now, StreamRecord::Kind::snapshot_begins);
  model.begin_snapshot();
  for (const std::string& bytes : messages) {
    const Result<Envelope> envelope = decode(bytes);
    if (!envelope) {
      ++undecodable_;
      continue;
    }
    if (memory_ != nullptr) memory_->add_part(now, *envelope, bytes);
    model.apply(now, *envelope);
  }
  if (memory_ != nullptr) memory_->add(now, StreamRecord::Kind::snapshot_ends);
  model.end_snapshot(now);
  // Before the first snapshot the model was nearly empty, so the timeline begins here.
  if (memory_ != nullptr && snapshots_ == 0) memory_->begin(now, model);
  ++snapshots_;
}

std::optional<Envelope> StreamSubscriber::take_snapshot_request(Instant now) {
  if (!stream_.take_snapshot_request(now)) return std::nullopt;
  return Envelope{"dashboard", ++asked_count_, now, SnapshotRequest{}};
}

}  // namespace drover::tui
