#include "commands/router/router_recording.h"

#include <utility>

#include "commands/connection/session.h"
#include "commands/record/record_options.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"

namespace drover::commands {

Result<std::unique_ptr<RouterRecording>> RouterRecording::open(const RecorderOptions& options,
                                                               Instant now, double speed) {
  auto recorder = Recorder::open(options, recording_start(now, speed));
  if (!recorder) return recorder.error();
  return std::unique_ptr<RouterRecording>(
      new RouterRecording(std::move(*recorder), wall_span(1, speed)));
}

RouterRecording::RouterRecording(std::unique_ptr<Recorder> recorder, Duration wall)
    : recorder_(std::move(recorder)), stream_(*recorder_, wall) {}

void RouterRecording::hear(Instant now, Peer to, Envelope envelope) {
  if (!over_) stream_.receive(now, to, std::move(envelope));
}

RouterRecording::Word RouterRecording::word(Instant now, Peer from, Message message) {
  return {from, {"recording", ++said_, now, std::move(message)}};
}

std::vector<RouterRecording::Word> RouterRecording::take_words(Instant now) {
  if (over_) return {};
  std::vector<Word> words;
  if (const Status status = recorder_->failure(); !status) {
    over_ = true;
    const std::string text = "the recording has ended: " + status.error().message;
    put_error("drover router: {}\n", text);
    words.push_back(word(now, publish_peer, Event{Severity::critical, "recording", text}));
  } else if (stream_.take_request(now)) {
    words.push_back(word(now, peer, Join{Role::viewer, "recording", software_name}));
    words.push_back(word(now, peer, SnapshotRequest{}));
  }
  return words;
}

CommandOutcome RouterRecording::end() {
  if (const Status ended = recorder_->end(); !ended) {
    return CommandOutcome::partly("the recording is not whole: " + ended.error().message);
  }
  const std::string missing = missing_text(*recorder_);
  return missing.empty() ? CommandOutcome::done()
                         : CommandOutcome::partly("the recording: " + missing);
}

}  // namespace drover::commands
