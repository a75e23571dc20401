// Records the published stream: joins messages and snapshots, marks bookmarks, and requests a
// keyframe at the start, every minute, and after lost messages. It has no clock, socket or file of
// its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/record/recorded_bookmarks.h"
#include "commands/record/recorder.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"
#include "fleet/socket/published_stream.h"

namespace drover::commands {

class StreamRecorder {
 public:
  /// `wall` is one wall second in fleet time. The recorder must outlive it.
  StreamRecorder(Recorder& recorder, Duration wall)
      : recorder_(recorder), bookmarks_(recorder), stream_(wall) {}

  /// `encoded`: the envelope as it came, if it did.
  void receive(Instant now, Peer from, Envelope envelope, std::string encoded = {});
  /// Records a bookmark of this process. Returns why it cannot; empty: it is recorded.
  std::string mark(Instant now, const Bookmark& mark) { return bookmarks_.add(now, mark); }
  /// Call it when a lost connection to the router is back.
  void request_keyframe() { stream_.request_snapshot(); }
  /// Whether to send a SnapshotRequest now.
  bool take_snapshot_request(Instant now);
  Instant next_deadline() const;

 private:
  void record_keyframe(Instant now, std::vector<std::string> messages);

  Recorder& recorder_;
  RecordedBookmarks bookmarks_;
  PublishedStream stream_;
  std::optional<Instant> begun_;  // when the first message arrived
  Instant keyframe_due_ = never;
};

}  // namespace drover::commands
