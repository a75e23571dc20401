// `drover router --record FILE`: the router's own published stream, recorded without a socket.
//
// A recording that ends by itself (the disk is full) is told on standard error, to all who watch
// the router, and at its end; routing goes on.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "commands/record/recorder.h"
#include "commands/record/stream_recorder.h"
#include "commands/shell/outcome.h"
#include "fleet/outbox.h"

namespace drover::commands {

class RouterRecording {
 public:
  /// As whom it asks the router for snapshots: no connection has this number.
  static constexpr Peer peer{Channel::control, std::numeric_limits<std::uint64_t>::max()};

  static Result<std::unique_ptr<RouterRecording>> open(const RecorderOptions& options, Instant now,
                                                       double speed);

  /// What the router publishes, and what it answers to `peer`.
  void hear(Instant now, Peer to, Envelope envelope);
  struct Word {
    Peer from;
    Envelope envelope;
  };
  /// What there is to say to the router now.
  std::vector<Word> take_words(Instant now);
  Instant next_deadline() const { return over_ ? never : stream_.next_deadline(); }

  CommandOutcome end();

 private:
  RouterRecording(std::unique_ptr<Recorder> recorder, Duration wall);
  Word word(Instant now, Peer from, Message message);

  std::unique_ptr<Recorder> recorder_;
  StreamRecorder stream_;
  std::uint64_t said_ = 0;
  bool over_ = false;
};

}  // namespace drover::commands
