#include "commands/dashboard/replay.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <poll.h>

#include "commands/dashboard/user_effects.h"
#include "commands/shell/clock.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "fleet/base/text.h"
#include "tui/state/timeline_text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds replay_wait_max{250};

/// The time of a replay's dashboard is wall time.
Instant wall_instant() { return Instant(wall_now().time_since_epoch()); }

void wait_for(const tui::Terminal& terminal, const StopSignals& signals, Instant deadline) {
  const FleetAnchor wall{wall_instant(), wall_now(), 1};
  const auto wait = frame_wait(terminal, wall.until(deadline, wall_now(), replay_wait_max));
  pollfd watched[] = {{terminal.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
  (void)::poll(watched, std::size(watched), static_cast<int>(wait.count()));
}

/// Why nothing of a recording can be shown, and what to do about it.
std::string no_messages_text(const OpenRecording& recording) {
  const std::string path = printable(recording.input.path);
  if (recording.input.file->being_written()) return path + ": has no messages yet";
  const std::string state = state_text(recording.input, recording.reader.info());
  if (state.empty()) return path + ": has no messages";
  return fmt::format("{}: has no readable messages: {}", path, state);
}

}  // namespace

Option replay_option() { return {"replay", "FILE", "show a recording instead of a live router"}; }

Option replay_at_option() {
  return {"at", "TIME", "with --replay: the time to show, from the start (30s, 5m) or in UTC"};
}

std::optional<ReplayOptions> read_replay(Arguments& arguments) {
  if (!arguments.has("replay")) {
    if (arguments.has("at") || arguments.has("replay-speed")) {
      arguments.add_problem(error("--at and --replay-speed work only with --replay"));
    }
    return {};
  }
  if (arguments.has("connect")) {
    arguments.add_problem(error("--replay shows a file and --connect a router: use one of them"));
  }
  ReplayOptions options;
  options.file = arguments.text("replay");
  options.rate = arguments.number("replay-speed", 0.1, 1000, 1);
  options.at = arguments.parsed("at", parse_time_argument, options.at);
  return options;
}

Result<std::unique_ptr<Replay>> Replay::open(const ReplayOptions& options) {
  DROVER_ASSIGN(auto recording, open_recording(options.file, RecordingSurvey::always));
  const RecordingReader& reader = recording.reader;
  if (!reader.info().has_messages()) return error(ErrorKind::io, "{}", no_messages_text(recording));
  std::unique_ptr<Replay> replay(new Replay(std::move(recording), options));
  const ReplayTimeline& timeline = replay->timeline_;
  if (const Status problem = timeline.problem(); !problem) {
    return damaged(options.file, problem.error());
  }
  if (!options.at) return replay;
  const Instant at = options.at->in(timeline.first());
  if (at >= timeline.first() && at <= timeline.last()) return replay;
  return error("--at {}: the recording covers {} to {} ({:.0f} s)", to_iso8601(at),
               to_iso8601(timeline.first()), to_iso8601(timeline.last()),
               to_seconds(timeline.last() - timeline.first()));
}

Replay::Replay(OpenRecording recording, const ReplayOptions& options)
    : recording_(std::move(recording)), timeline_(recording_.reader), options_(options) {}

tui::DashboardOptions Replay::dashboard(tui::DashboardOptions options, bool paused) const {
  const RecordingInfo& info = recording_.reader.info();
  options.speed = info.start.speed;
  options.replay.timeline = &timeline_;
  std::error_code unknown;
  const auto path = std::filesystem::weakly_canonical(options_.file, unknown);
  options.place = printable("recording " + (unknown ? options_.file : path.string()));
  options.replay.title = printable(std::filesystem::path(options_.file).filename().string());
  // Without the speed it is unknown whether fleet time is the system's time.
  if (!info.start.speed_known) options.clock_differs = true;
  if (!info.start.speed_known) options.replay.title += ", speed unknown";
  if (recording_.input.file->being_written()) {
    options.replay.title += ", still being written";
  } else if (!info.closed) {
    options.replay.title += ", not closed properly";
  }
  if (!info.lost.empty() || !info.journal_lost.empty()) options.replay.title += ", damaged";
  options.replay.rate = options_.rate;
  if (options_.at) options.replay.at = options_.at->in(timeline_.first());
  options.replay.paused = paused;
  return options;
}

namespace {

/// Prints on stderr what is unusual about the file. Fails if a part could not be read.
CommandOutcome report_state(const Replay& replay, std::string_view command,
                            const std::string& path) {
  if (const std::string state = replay.state(); !state.empty()) {
    write_stderr("drover {}: {}: {}\n", command, printable(path), state);
  }
  const Status problem = replay.timeline().problem();
  return problem ? CommandOutcome::done() : CommandOutcome(damaged(path, problem.error()));
}

}  // namespace

CommandOutcome show_replay(const ReplayOptions& options, const std::string& device,
                           DashboardSettings& settings) {
  StopSignals signals;
  DROVER_ASSIGN(const auto replay, Replay::open(options));
  auto terminal = tui::Terminal::open(terminal_options(settings.in_force()));
  if (!terminal) return of_kind(ErrorKind::io, terminal.error());
  const auto view = dashboard_options(settings.in_force(), terminal->get(), device);
  tui::Dashboard core(replay->dashboard(view, false), (*terminal)->size(), wall_instant());
  settings.restore(core);
  FrameStats frames;
  bool quit = false;
  while (!quit && !signals.stopped()) {
    core.tick(wall_instant());
    show_frame(**terminal, core, frames, wall_instant());
    wait_for(**terminal, signals, core.next_deadline());
    forward_keys(**terminal, core, wall_instant());
    for (const tui::Effect& effect : core.take_effects()) {
      quit = quit || std::holds_alternative<tui::Quit>(effect);
      if (const auto* change = std::get_if<tui::SettingsChange>(&effect)) {
        settings.apply(*change, core, **terminal);
      }
      if (const auto* kept = std::get_if<tui::KeepChoices>(&effect)) settings.keep(kept->choices);
      perform_for_user(effect, core, **terminal);
    }
    settings.follow(core, **terminal, wall_instant());
  }
  const std::string not_kept = settings.finish(core);
  const Status there = (*terminal)->status();
  terminal->reset();
  if (!not_kept.empty()) write_stderr("drover top: {}\n", not_kept);
  if (!there) return of_kind(ErrorKind::io, there.error());
  return report_state(*replay, "top", options.file);
}

CommandOutcome print_replay(const ReplayOptions& options, const tui::DashboardOptions& view,
                            const FrameOutput& form) {
  DROVER_ASSIGN(const auto replay, Replay::open(options));
  // The start time has no effect; it is fixed so that the output is always the same.
  tui::Dashboard core(replay->dashboard(view, true), form.size, Instant{});
  const Status printed = write_frame(core, Instant{}, form, view);
  if (!printed) return printed.error();
  CommandOutcome outcome = report_state(*replay, form.command, options.file);
  if (outcome.exit != Exit::done) return outcome;
  const ReplayTimeline& timeline = replay->timeline();
  const Instant shown = options.at ? options.at->in(timeline.first()) : timeline.first();
  const std::string path = printable(options.file);
  if (const tui::Gap* gap = tui::gap_at(timeline, shown)) {
    return CommandOutcome::partly(
        fmt::format("{}: the state at {} is unknown: messages are missing from {}", path,
                    to_iso8601(shown), tui::gap_text(*gap)));
  }
  if (!replay->speed_known()) {
    return CommandOutcome::partly(
        fmt::format("{}: shown at speed 1, because the recording's own speed is lost", path));
  }
  return outcome;
}

}  // namespace drover::commands
