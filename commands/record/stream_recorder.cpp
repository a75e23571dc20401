#include "commands/record/stream_recorder.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fleet/codec/codec.h"

namespace drover::commands {

namespace {

constexpr Duration keyframe_every = std::chrono::minutes(1);  // fleet time

/// The bookmark that this message publishes, or null.
const Bookmark* bookmark_in(const Envelope& envelope) {
  const auto* const event = std::get_if<Event>(&envelope.body);
  return event != nullptr && event->bookmark ? &*event->bookmark : nullptr;
}

}  // namespace

void StreamRecorder::receive(Instant now, Peer from, Envelope envelope, std::string encoded) {
  if (!begun_) begun_ = now;
  auto update = stream_.receive(now, from, envelope);
  if (update.lost > 0) recorder_.note_lost(now, update.lost);
  if (update.is_new && channel_of(envelope.body)) {
    if (const Bookmark* const mark = bookmark_in(envelope)) bookmarks_.take(now, *mark);
    const bool state = !std::holds_alternative<SampleBatch>(envelope.body);
    const bool kept = recorder_.record(now, std::move(envelope), std::move(encoded));
    if (!kept && state) stream_.request_snapshot();
  }
  if (update.snapshot) record_keyframe(now, std::move(*update.snapshot));
}

void StreamRecorder::record_keyframe(Instant now, std::vector<std::string> messages) {
  std::map<Instant, std::string> marks;  // whose messages may have been lost
  // Readers of the file could not decode these messages either.
  const auto unreadable = std::erase_if(messages, [&](const std::string& bytes) {
    const auto envelope = decode(bytes);
    if (!envelope) return true;
    const Bookmark* const mark = bookmark_in(*envelope);
    if (mark != nullptr && envelope->at >= begun_) marks[mark->at] = mark->text;
    return false;
  });
  for (const auto& [at, text] : marks) bookmarks_.take_missed(now, {at, text});
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
