#include "commands/record/stream_recorder.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

constexpr Duration keyframe_every = std::chrono::minutes(1);  // fleet time

}  // namespace

void StreamRecorder::receive(Instant now, Peer from, Envelope envelope) {
  auto update = stream_.receive(now, from, envelope);
  if (update.lost > 0) recorder_.note_lost(now, update.lost);
  if (update.is_new && channel_of(envelope.body)) {
    const bool state = !std::holds_alternative<SampleBatch>(envelope.body);
    if (!recorder_.record(now, std::move(envelope)) && state) stream_.request_snapshot();
  }
  if (update.snapshot) record_keyframe(now, std::move(*update.snapshot));
}

void StreamRecorder::record_keyframe(Instant now, std::vector<std::string> messages) {
  // Readers of the file could not decode these messages either.
  const auto unreadable =
      std::erase_if(messages, [](const std::string& bytes) { return !decode(bytes).ok(); });
  if (unreadable > 0) recorder_.note_lost(now, unreadable);
  if (!recorder_.record_keyframe(now, std::move(messages))) stream_.request_snapshot();
  keyframe_due_ = saturating_add(now, keyframe_every);
}

bool StreamRecorder::take_snapshot_request(Instant now) {
  if (now >= keyframe_due_) {
    stream_.request_snapshot();
    keyframe_due_ = never;  // until the snapshot arrives
  }
  return stream_.take_snapshot_request(now);
}

Instant StreamRecorder::next_deadline() const {
  return std::min(keyframe_due_, stream_.next_deadline());
}

}  // namespace drover::commands
