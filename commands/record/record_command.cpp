// `drover record`: everything that a router publishes, into a file.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "commands/connection/barred_notice.h"
#include "commands/connection/session.h"
#include "commands/record/record_options.h"
#include "commands/record/stream_recorder.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds longest_wait{250};
/// A router publishes its totals twice a second.
constexpr Wall silence_max = std::chrono::seconds(5);

class Recording {
 public:
  Recording(Session& session, Recorder& recorder)
      : session_(session),
        recorder_(recorder),
        stream_(recorder, wall_span(1, session.welcome().speed)) {}

  Status turn(std::chrono::milliseconds longest) {
    if (stream_.take_request(session_.clock().now())) session_.send(SnapshotRequest{});
    const auto wait = session_.clock().until(stream_.next_deadline(), longest);
    Session::Turn turn = session_.wait(wait);
    if (turn.leap) {
      if (const Status told = tell_leap(*turn.leap); !told) return told;
    }
    for (auto& [from, envelope] : turn.messages) {
      heard_ = wall_now();
      if (std::holds_alternative<Welcome>(envelope.body)) {
        if (Status subscribed = session_.subscribe(); !subscribed) return subscribed;
        stream_.want_keyframe();
        continue;
      }
      stream_.receive(session_.clock().now(), from, std::move(envelope));
    }
    tell_silence();
    return recorder_.failure();
  }

 private:
  /// Forward the file says it, like an event of the router. Back there is no place for what comes:
  /// a recording's times only rise.
  Status tell_leap(const TimeLeap& leap) {
    const std::string text = to_text(leap);
    if (leap.back()) return error("{}: the recording ends there; begin another", text);
    put_error("drover record: {}\n", text);
    const Event event{Severity::warning, "router", text};
    recorder_.take(leap.to, {"record", ++told_, leap.to, event});
    return {};
  }

  /// The recording goes on: a router that is started again is part of the story.
  void tell_silence() {
    // Why nothing comes has been said then; once we are let in again, silence begins anew.
    if (barred_.look(session_)) heard_ = wall_now();
    const bool silent = wall_now() - heard_ > silence_max;
    if (silent && !silent_) put_error("drover record: the router is silent; waiting for it\n");
    silent_ = silent;
  }

  Session& session_;
  Recorder& recorder_;
  StreamRecorder stream_;
  BarredNotice barred_{"drover record"};
  Wall heard_ = wall_now();
  bool silent_ = false;
  std::uint64_t told_ = 0;
};

CommandOutcome end_recording(Recorder& recorder, Status status) {
  const Status ended = recorder.end();
  if (status.ok()) status = ended;
  if (!status) return CommandOutcome::failed(status.error());
  const std::string missing = missing_text(recorder);
  return missing.empty() ? CommandOutcome::done() : CommandOutcome::partly(missing);
}

}  // namespace

CommandUsage record_usage() {
  return {
      "usage: drover record -o FILE [options]",
      "Writes everything that a router publishes to FILE, a valid MCAP file: samples, jobs,\n"
      "decisions, events, alerts. What has come stands in FILE.journal within a moment and in "
      "FILE\n"
      "about once a minute; Ctrl-C or SIGTERM closes the file. Killed at any time, it loses about\n"
      "a second at most: `drover recording recover` makes a whole file of what is there.",
      {{"output", "FILE", "where to", false, false, nullptr, 'o'},
       connect_option(),
       {"for", "DURATION", "end after so long (wall time)"},
       {"force", "", "write over a FILE that is there"},
       min_free_option()},
      {},
      "  drover record -o today.mcap\n"
      "  drover record -o test.mcap --for 10m\n"
      "  drover top --replay today.mcap"};
}

CommandOutcome run_record(Arguments& arguments) {
  const Wall lasts = arguments.duration("for", Wall::max());
  const RecorderOptions options =
      read_recorder(arguments, arguments.text("output"), arguments.has("force"));
  if (options.path.empty()) arguments.complain(error("name the file to write: -o FILE"));
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  StopSignals signals;  // before the threads, which must not take signals
  auto session = Session::open({endpoint_of(arguments), Role::viewer, "record"});
  if (!session) return CommandOutcome::failed(session.error());
  const Welcome& welcome = (*session)->welcome();
  auto recorder =
      Recorder::open(options, recording_start((*session)->clock().now(), welcome.speed));
  if (!recorder) return CommandOutcome::failed(recorder.error());
  (*session)->sockets().watch(signals.descriptor());
  (*session)->sockets().watch((*recorder)->ended_descriptor());
  Recording recording(**session, **recorder);
  Status status = (*session)->subscribe();
  put_error("drover record: recording to {}\n", printable(options.path));
  const Wall begun = wall_now();
  while (status.ok() && !signals.stopped() && wall_now() - begun < lasts) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(lasts - (wall_now() - begun));
    status = recording.turn(std::clamp(left, std::chrono::milliseconds(1), longest_wait));
  }
  return end_recording(**recorder, std::move(status));
}

}  // namespace drover::commands
