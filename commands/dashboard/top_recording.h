// `drover top --record FILE`: records what the dashboard receives, and the bookmarks made in it.
//
// If the recording ends by itself (the disk is full), the dashboard says so and goes on.
#pragma once

#include <memory>
#include <string>

#include "commands/connection/session.h"
#include "commands/dashboard/dashboard_loop.h"
#include "commands/record/recorder.h"
#include "commands/record/stream_recorder.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

class TopRecording {
 public:
  /// Makes the file. The session must outlive the recording.
  static Result<std::unique_ptr<TopRecording>> open(const RecorderOptions& options,
                                                    Session& session);

  /// Records from now on what the loop receives, and tells the user of bookmarks that cannot be
  /// recorded. The loop must not outlive the recording.
  void attach(DashboardLoop& loop);
  /// Asks the router for its state when that is due. Call it in each turn of the loop.
  void turn(DashboardLoop& loop);
  /// Closes the file.
  CommandOutcome end();

 private:
  TopRecording(std::unique_ptr<Recorder> recorder, Session& session);
  void receive(Peer from, const Envelope& envelope, const std::string& encoded);

  Session& session_;
  std::unique_ptr<Recorder> recorder_;
  StreamRecorder stream_;
  Instant latest_ = Instant::min();
  Status ended_;  // why it has ended by itself
  bool told_ = false;
};

}  // namespace drover::commands
