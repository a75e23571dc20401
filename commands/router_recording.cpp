#include "commands/router_recording.h"

#include <utility>

#include "commands/clock.h"
#include "commands/output.h"
#include "commands/record_options.h"
#include "commands/session.h"

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

std::vector<Envelope> RouterRecording::take_questions(Instant now) {
  if (over_) return {};
  if (const Status status = recorder_->failure(); !status) {
    over_ = true;
    put_error("drover router: the recording has ended: {}\n", status.error().message);
    return {};
  }
  if (!stream_.take_request(now)) return {};
  std::vector<Envelope> questions;
  for (Message question :
       {Message(Join{Role::viewer, "recording", software_name}), Message(SnapshotRequest{})}) {
    questions.push_back({"recording", ++asked_, now, std::move(question)});
  }
  return questions;
}

Outcome RouterRecording::end() {
  if (const Status ended = recorder_->end(); !ended) {
    return Outcome::partly("the recording is not whole: " + ended.error().message);
  }
  const std::string missing = missing_text(*recorder_);
  return missing.empty() ? Outcome::done() : Outcome::partly("the recording: " + missing);
}

}  // namespace drover::commands
