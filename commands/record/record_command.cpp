// `drover record`: records the published stream of a router to a file.
#include <algorithm>
#include <string>
#include <utility>

#include "commands/connection/session.h"
#include "commands/record/record_options.h"
#include "commands/record/stream_recorder.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds record_wait_max{250};
/// A router publishes totals twice a second, so a longer silence is reported.
constexpr WallSpan recorded_silence_max = std::chrono::seconds(5);

class Recording {
 public:
  Recording(Session& session, Recorder& recorder)
      : session_(session),
        recorder_(recorder),
        stream_(recorder, wall_span(1, session.welcome().speed)) {}

  Status turn(std::chrono::milliseconds longest) {
    if (stream_.take_snapshot_request(session_.clock().now())) session_.send(SnapshotRequest{});
    const auto wait = session_.clock().until(stream_.next_deadline(), longest);
    Session::PollResult turn = session_.wait(wait);
    if (turn.clock_jump) {
      DROVER_TRY(record_clock_jump(*turn.clock_jump));
    }
    if (!turn.messages.empty()) last_received_ = wall_now();
    for (std::size_t i = 0; i < turn.messages.size(); ++i) {
      auto& [from, envelope] = turn.messages[i];
      if (std::holds_alternative<JoinAccepted>(envelope.body)) {
        DROVER_TRY(session_.subscribe());
        stream_.request_keyframe();
        continue;
      }
      stream_.receive(session_.clock().now(), from, std::move(envelope),
                      std::move(turn.encoded[i]));
    }
    report_silence();
    return recorder_.failure();
  }

 private:
  /// Records a forward jump as an event. After a jump back the recording must end, because its
  /// times cannot decrease.
  Status record_clock_jump(const ClockJump& clock_jump) {
    const std::string text = to_text(clock_jump);
    if (clock_jump.back())
      return error(ErrorKind::io, "{}: the recording ends here; start another", text);
    write_stderr("drover record: {}\n", text);
    const Event event{Severity::warning, "router", text};
    recorder_.record(clock_jump.to, {"record", ++events_, clock_jump.to, event});
    return {};
  }

  /// Reports silence once; the recording continues, because the router may be restarted.
  void report_silence() {
    // A refusal has been reported already; the silence begins when the router accepts us again.
    if (connect_refusal_.update(session_)) last_received_ = wall_now();
    const bool silent = wall_now() - last_received_ > recorded_silence_max;
    if (silent && !silent_) write_stderr("drover record: the router is silent; waiting for it\n");
    silent_ = silent;
  }

  Session& session_;
  Recorder& recorder_;
  StreamRecorder stream_;
  ConnectRefusalNotice connect_refusal_{"drover record"};
  WallTime last_received_ = wall_now();
  bool silent_ = false;
  std::uint64_t events_ = 0;
};

CommandOutcome end_recording(Recorder& recorder, Status status) {
  const Status ended = recorder.end();
  if (status.ok()) status = ended;
  if (!status) return status.error();
  const std::string missing = missing_text(recorder);
  return missing.empty() ? CommandOutcome::done() : CommandOutcome::partly(missing);
}

}  // namespace

CommandUsage record_usage() {
  return {
      "usage: drover record -o FILE [options]",
      "Records everything that a router publishes to FILE, a valid MCAP file: samples, jobs, "
      "decisions, events, alerts. Messages are written to FILE.journal at once and to FILE about "
      "once a minute. Ctrl-C or SIGTERM closes the file. If the process is killed, "
      "`drover recording recover` makes a complete file from both. A power failure loses at most "
      "about one second.",
      {{"output", "FILE", "the file to write", false, false, nullptr, 'o'},
       connect_option(),
       {"for", "DURATION", "stop after this time (wall time)"},
       {"force", "", "overwrite an existing FILE"},
       min_free_option()},
      {},
      "  drover record -o today.mcap\n"
      "  drover record -o test.mcap --for 10m\n"
      "  drover top --replay today.mcap"};
}

CommandOutcome run_record(Arguments& arguments) {
  const WallSpan duration = arguments.duration("for", WallSpan::max());
  const RecorderOptions options =
      read_recorder(arguments, arguments.text("output"), arguments.has("force"));
  if (options.path.empty()) arguments.add_problem(error("-o FILE is required: the file to write"));
  DROVER_TRY(arguments.status());
  StopSignals signals;  // before the threads, which must not take signals
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::viewer, "record"}));
  const JoinAccepted& welcome = session->welcome();
  DROVER_ASSIGN(auto recorder,
                Recorder::open(options, recording_start(session->clock().now(), welcome.speed)));
  session->sockets().watch(signals.descriptor());
  session->sockets().watch(recorder->ended_descriptor());
  Recording recording(*session, *recorder);
  Status status = session->subscribe();
  write_stderr("drover record: recording to {}\n", printable(options.path));
  const WallTime begun = wall_now();
  while (status.ok() && !signals.stopped() && wall_now() - begun < duration) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(duration - (wall_now() - begun));
    status = recording.turn(std::clamp(left, std::chrono::milliseconds(1), record_wait_max));
  }
  // What has come is recorded as well.
  while (status.ok() && session->has_more()) status = recording.turn(std::chrono::milliseconds(0));
  return end_recording(*recorder, std::move(status));
}

}  // namespace drover::commands
