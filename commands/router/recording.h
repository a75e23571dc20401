// `drover router --record FILE`: records the router's own published stream without a socket.
//
// If the recording fails (the disk is full), the router reports it on standard error, as a
// published event, and when it exits. It continues to route.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "commands/record/recorder.h"
#include "commands/record/stream_recorder.h"
#include "commands/shell/outcome.h"
#include "fleet/outbox.h"

namespace drover::commands {

class RouterRecording {
 public:
  /// The peer that requests snapshots from the router; no connection has this number.
  static constexpr Peer peer{Channel::control, std::numeric_limits<std::uint64_t>::max()};

  static Result<std::unique_ptr<RouterRecording>> open(const RecorderOptions& options, Instant now,
                                                       double speed);

  /// A message that the router publishes or sends to `peer`.
  void receive(Instant now, Peer to, Envelope envelope);
  /// Adds a bookmark of this process. Returns why it cannot; empty: it is recorded.
  std::string mark(Instant now, const Bookmark& mark) { return stream_.mark(now, mark); }
  struct ToRouter {
    Peer from;
    Envelope envelope;
  };
  /// The messages for the router.
  std::vector<ToRouter> take_messages(Instant now);
  Instant next_deadline() const { return over_ ? never : stream_.next_deadline(); }

  CommandOutcome end();

 private:
  RouterRecording(std::unique_ptr<Recorder> recorder, Duration wall);
  ToRouter to_router(Instant now, Peer from, Message message);

  std::unique_ptr<Recorder> recorder_;
  StreamRecorder stream_;
  std::uint64_t sequence_ = 0;
  bool over_ = false;
};

}  // namespace drover::commands
