#include "commands/record/stream_recorder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

constexpr Duration keyframe_every = std::chrono::minutes(1);  // fleet time

}  // namespace

void StreamRecorder::receive(Instant now, Peer from, Envelope envelope) {
  auto heard = stream_.receive(now, from, envelope);
  if (heard.lost > 0) recorder_.note_lost(now, heard.lost);
  if (heard.news && channel_of(envelope.body)) {
    const bool state = !std::holds_alternative<SampleBatch>(envelope.body);
    if (!recorder_.take(now, std::move(envelope)) && state) stream_.want_snapshot();
  }
  if (heard.snapshot) take_keyframe(now, std::move(*heard.snapshot));
}

void StreamRecorder::take_keyframe(Instant now, std::vector<std::string> messages) {
  // Whoever reads the file could not read them either.
  const auto unreadable =
      std::erase_if(messages, [](const std::string& bytes) { return !decode(bytes).ok(); });
  if (unreadable > 0) recorder_.note_lost(now, unreadable);
  if (!recorder_.take_keyframe(now, std::move(messages))) stream_.want_snapshot();
  keyframe_due_ = saturating_add(now, keyframe_every);
}

bool StreamRecorder::take_request(Instant now) {
  if (now >= keyframe_due_) {
    stream_.want_snapshot();
    keyframe_due_ = never;  // until the snapshot is here
  }
  return stream_.take_request(now);
}

Instant StreamRecorder::next_deadline() const {
  return std::min(keyframe_due_, stream_.next_deadline());
}

}  // namespace drover::commands
