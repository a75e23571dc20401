// From the published stream to a recording: joins news and snapshots, asks for a keyframe at the
// start, every minute, and after whatever was lost. Without clock, socket or file of its own.
#pragma once

#include <string>
#include <vector>

#include "commands/record/recorder.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"
#include "fleet/socket/published_stream.h"

namespace drover::commands {

class StreamRecorder {
 public:
  /// `wall` is one wall second in fleet time. The recorder must outlive it.
  StreamRecorder(Recorder& recorder, Duration wall) : recorder_(recorder), stream_(wall) {}

  void receive(Instant now, Peer from, Envelope envelope);
  /// The connection to the router came back.
  void want_keyframe() { stream_.want_snapshot(); }
  /// Whether a SnapshotRequest is to go now.
  bool take_request(Instant now);
  Instant next_deadline() const;

 private:
  void take_keyframe(Instant now, std::vector<std::string> messages);

  Recorder& recorder_;
  PublishedStream stream_;
  Instant keyframe_due_ = never;
};

}  // namespace drover::commands
