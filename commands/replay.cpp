#include "commands/replay.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <poll.h>

#include "commands/clock.h"
#include "commands/output.h"
#include "commands/stop_signals.h"
#include "fleet/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds longest_wait{250};

/// A replay's dashboard lives in wall time.
Instant wall_instant() { return Instant(wall_now()); }

void wait_for(const tui::Terminal& terminal, const StopSignals& signals, Instant deadline) {
  const FleetAnchor wall{wall_instant(), wall_now(), 1};
  const auto wait = wait_with(terminal, wall.until(deadline, wall_now(), longest_wait));
  pollfd watched[] = {{terminal.descriptor(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
  (void)::poll(watched, std::size(watched), static_cast<int>(wait.count()));
}

}  // namespace

Option replay_option() { return {"replay", "FILE", "look at a recording instead of a router"}; }

Option replay_at_option() {
  return {"at", "TIME", "with --replay: from the start (30s, 5m) or in UTC"};
}

std::optional<ReplayOptions> read_replay(Arguments& arguments) {
  if (!arguments.has("replay")) {
    if (arguments.has("at") || arguments.has("rate")) {
      arguments.complain(error("--at and --rate go with --replay"));
    }
    return {};
  }
  if (arguments.has("connect")) {
    arguments.complain(error("--replay shows a file and --connect a router: give one of them"));
  }
  ReplayOptions options;
  options.file = arguments.text("replay");
  options.rate = arguments.number("rate", 0.1, 1000, 1);
  if (arguments.has("at")) {
    const auto at = parse_given_time(arguments.text("at"), "--at");
    if (at) {
      options.at = *at;
    } else {
      arguments.complain(at.error());
    }
  }
  return options;
}

Result<std::unique_ptr<Replay>> Replay::open(const ReplayOptions& options) {
  auto recording = open_recording(options.file);
  if (!recording) return recording.error();
  std::unique_ptr<Replay> replay(new Replay(std::move(*recording), options));
  const ReplayTimeline& timeline = replay->timeline_;
  if (const Status problem = timeline.problem(); !problem) {
    return error("{}: {}", printable(options.file), problem.error().message);
  }
  if (!options.at) return replay;
  const Instant at = options.at->in(timeline.first());
  if (at >= timeline.first() && at <= timeline.last()) return replay;
  return error("--at {}: the recording is of {} to {} ({:.0f} s)", to_iso8601(at),
               to_iso8601(timeline.first()), to_iso8601(timeline.last()),
               to_seconds(timeline.last() - timeline.first()));
}

Replay::Replay(OpenRecording recording, const ReplayOptions& options)
    : recording_(std::move(recording)), timeline_(recording_.reader), options_(options) {}

tui::DashboardOptions Replay::dashboard(const DashboardView& view, bool paused) const {
  const RecordingInfo& info = recording_.reader.info();
  tui::DashboardOptions options = dashboard_options(view, "", info.start.speed);
  options.replay.timeline = &timeline_;
  options.replay.title = printable(std::filesystem::path(options_.file).filename().string());
  if (recording_.input.file->being_written()) {
    options.replay.title += ", still being written";
  } else if (!info.closed) {
    options.replay.title += ", not closed in order";
  }
  options.replay.rate = options_.rate;
  if (options_.at) options.replay.at = options_.at->in(timeline_.first());
  options.replay.paused = paused;
  return options;
}

Outcome show_replay(const ReplayOptions& options, const std::string& device,
                    DashboardSettings& settings) {
  StopSignals signals;
  const auto replay = Replay::open(options);
  if (!replay) return Outcome::failed(replay.error());
  auto terminal = tui::Terminal::open(terminal_options(settings.in_force()));
  if (!terminal) return Outcome::failed(terminal.error());
  const DashboardView view{.settings = settings.in_force(),
                           .ascii = wants_ascii(settings.in_force(), (*terminal)->unicode()),
                           .steady_colours = true,
                           .device = device};
  tui::Dashboard core((*replay)->dashboard(view, false), (*terminal)->size(), wall_instant());
  FrameWatch frames;
  while (!core.quit() && !signals.stopped()) {
    core.tick(wall_instant());
    show_frame(**terminal, core, frames, wall_instant());
    wait_for(**terminal, signals, core.next_deadline());
    take_keys(**terminal, core, wall_instant());
    settings.follow(core, **terminal, wall_instant());
  }
  const Status there = (*terminal)->status();
  terminal->reset();
  if (!there) return Outcome::failed(there.error());
  const Status problem = (*replay)->timeline().problem();
  return problem ? Outcome::done() : Outcome::failed(problem.error());
}

Outcome print_replay(const ReplayOptions& options, const DashboardView& view,
                     const FrameForm& form) {
  const auto replay = Replay::open(options);
  if (!replay) return Outcome::failed(replay.error());
  // Any beginning will do, and always the same one.
  tui::Dashboard core((*replay)->dashboard(view, true), form.size, Instant{});
  const Status shown = put_frame(core, Instant{}, form, view);
  if (!shown) return Outcome::failed(shown.error());
  if (const std::string state = (*replay)->state(); !state.empty()) {
    put_error("drover {}: {}: {}\n", form.verb, printable(options.file), state);
  }
  const Status problem = (*replay)->timeline().problem();
  return problem ? Outcome::done() : Outcome::failed(problem.error());
}

}  // namespace drover::commands
