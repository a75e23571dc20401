#include "commands/router/recording.h"

#include <utility>

#include "commands/connection/session.h"
#include "commands/record/record_options.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "fleet/base/version.h"

namespace drover::commands {

Result<std::unique_ptr<RouterRecording>> RouterRecording::open(const RecorderOptions& options,
                                                               Instant now, double speed) {
  DROVER_ASSIGN(auto recorder, Recorder::open(options, recording_start(now, speed)));
  return std::unique_ptr<RouterRecording>(
      new RouterRecording(std::move(recorder), wall_span(1, speed)));
}

RouterRecording::RouterRecording(std::unique_ptr<Recorder> recorder, Duration wall)
    : recorder_(std::move(recorder)), stream_(*recorder_, wall) {}

void RouterRecording::receive(Instant now, Peer to, Envelope envelope) {
  if (!over_) stream_.receive(now, to, std::move(envelope));
}

RouterRecording::ToRouter RouterRecording::to_router(Instant now, Peer from, Message message) {
  return {from, {"recording", ++sequence_, now, std::move(message)}};
}

std::vector<RouterRecording::ToRouter> RouterRecording::take_messages(Instant now) {
  if (over_) return {};
  std::vector<ToRouter> messages;
  if (const Status status = recorder_->failure(); !status) {
    over_ = true;
    const std::string text = "the recording has ended: " + status.error().message;
    write_stderr("drover router: {}\n", text);
    messages.push_back(to_router(now, publish_peer, Event{Severity::critical, "recording", text}));
  } else if (stream_.take_snapshot_request(now)) {
    messages.push_back(to_router(now, peer, Join{Role::viewer, "recording", software_name}));
    messages.push_back(to_router(now, peer, SnapshotRequest{}));
  }
  return messages;
}

CommandOutcome RouterRecording::end() {
  if (const Status ended = recorder_->end(); !ended) {
    return CommandOutcome::partly("the recording is incomplete: " + ended.error().message);
  }
  const std::string missing = missing_text(*recorder_);
  return missing.empty() ? CommandOutcome::done()
                         : CommandOutcome::partly("the recording: " + missing);
}

}  // namespace drover::commands
