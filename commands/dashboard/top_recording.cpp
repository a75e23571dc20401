#include "commands/dashboard/top_recording.h"

#include <algorithm>
#include <utility>

#include "commands/record/record_options.h"

namespace drover::commands {

namespace {

/// The clock of a router that has restarted may be a little behind ours.
constexpr Duration step_back_max = std::chrono::seconds(1);

}  // namespace

Result<std::unique_ptr<TopRecording>> TopRecording::open(const RecorderOptions& options,
                                                         Session& session) {
  DROVER_ASSIGN(auto recorder, Recorder::open(options, recording_start(session.clock().now(),
                                                                       session.welcome().speed)));
  return std::unique_ptr<TopRecording>(new TopRecording(std::move(recorder), session));
}

TopRecording::TopRecording(std::unique_ptr<Recorder> recorder, Session& session)
    : session_(session),
      recorder_(std::move(recorder)),
      stream_(*recorder_, wall_span(1, session.welcome().speed)) {}

void TopRecording::attach(DashboardLoop& loop) {
  loop.on_message = [this](Peer from, const Envelope& envelope, const std::string& encoded) {
    receive(from, envelope, encoded);
  };
  loop.on_bookmark = [this, &loop](const Bookmark& mark) {
    const std::string problem = stream_.mark(session_.clock().now(), mark);
    if (!problem.empty()) loop.core().say(problem);
  };
}

void TopRecording::receive(Peer from, const Envelope& envelope, const std::string& encoded) {
  if (!ended_) return;
  const Instant now = session_.clock().now();
  if (saturating_add(now, step_back_max) < latest_) {
    ended_ = error(ErrorKind::io, "fleet time stepped back: the times of a recording cannot");
    return;
  }
  latest_ = std::max(latest_, now);
  if (std::holds_alternative<JoinAccepted>(envelope.body)) return stream_.request_keyframe();
  stream_.receive(now, from, envelope, encoded);
}

void TopRecording::turn(DashboardLoop& loop) {
  if (ended_) ended_ = recorder_->failure();
  if (!ended_) {
    if (!std::exchange(told_, true)) {
      loop.core().say("the recording has ended: " + ended_.error().message);
    }
    return;
  }
  if (stream_.take_snapshot_request(session_.clock().now())) session_.send(SnapshotRequest{});
}

CommandOutcome TopRecording::end() {
  const Status closed = recorder_->end();
  if (ended_) ended_ = closed;
  if (!ended_)
    return CommandOutcome::partly("the recording is incomplete: " + ended_.error().message);
  const std::string missing = missing_text(*recorder_);
  return missing.empty() ? CommandOutcome::done()
                         : CommandOutcome::partly("the recording: " + missing);
}

}  // namespace drover::commands
