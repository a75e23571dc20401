// `drover top`: shows the dashboard on a terminal, live or of a recording.
#include <chrono>

#include "commands/connection/filter_option.h"
#include "commands/dashboard/dashboard_loop.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_output.h"
#include "commands/dashboard/history_client.h"
#include "commands/dashboard/replay.h"
#include "commands/dashboard/top_recording.h"
#include "commands/record/record_options.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

/// `--print-config` and `--save-config`: the settings in force, including the command line.
CommandOutcome output_settings(DashboardSettings& settings, bool print) {
  if (print) {
    write_stdout_text(tui::annotated_settings(settings.in_force()));
    return CommandOutcome::done();
  }
  DROVER_ASSIGN(const auto path, settings.save(settings.in_force()));
  write_stdout("{}\n", printable(path));
  return CommandOutcome::done();
}

/// What a live dashboard has beside its settings.
struct LiveOptions {
  std::string device;
  HistoryClient* history = nullptr;  // null: none
  std::optional<RecorderOptions> record;
};

CommandOutcome show_live(const Arguments& arguments, const LiveOptions& options,
                         DashboardSettings& settings) {
  StopSignals signals;
  const bool control = arguments.has("control");
  const Role role = control ? Role::client : Role::viewer;
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), role, user_and_host("top")}));
  std::unique_ptr<TopRecording> recording;  // outlives the loop
  auto terminal = tui::Terminal::open(terminal_options(settings.in_force()));
  if (!terminal) return of_kind(ErrorKind::io, terminal.error());
  auto view = dashboard_options(settings.in_force(), terminal->get(), options.device);
  view.control = control;
  view.place = "router " + printable(endpoint_of(arguments).endpoint);
  if (options.history != nullptr) view.history_server = options.history->name();
  DROVER_ASSIGN(auto loop, DashboardLoop::open(*session, std::move(view), (*terminal)->size()));
  // Last, when all else works: --force discards a file that is there.
  if (options.record) {
    DROVER_ASSIGN(recording, TopRecording::open(*options.record, *session));
    recording->attach(*loop);
  }
  session->sockets().watch(signals.descriptor());
  loop->attach(**terminal, settings);
  if (options.history != nullptr) loop->attach(*options.history);
  while (!loop->quit() && !signals.stopped()) {
    loop->turn(std::chrono::milliseconds(250));
    if (recording) recording->turn(*loop);
  }
  // What has come is recorded as well.
  while (recording && session->has_more()) loop->turn(std::chrono::milliseconds(0));
  const std::string not_kept = settings.finish(loop->core());
  const Status there = (*terminal)->status();
  terminal->reset();
  loop.reset();
  if (!not_kept.empty()) write_stderr("drover top: {}\n", not_kept);
  CommandOutcome ended = recording ? recording->end() : CommandOutcome::done();
  return there ? std::move(ended) : CommandOutcome(of_kind(ErrorKind::io, there.error()));
}

/// `--record`, which works with a live router only.
std::optional<RecorderOptions> read_record(Arguments& arguments, bool replay) {
  if (!arguments.has("record")) {
    if (arguments.has("force") || arguments.has("min-free")) {
      arguments.add_problem(error("--force and --min-free work only with --record"));
    }
    return {};
  }
  if (replay) arguments.add_problem(error("--record and --replay exclude each other"));
  return read_recorder(arguments, arguments.text("record"), arguments.has("force"));
}

/// Adds a problem for options that need `--once` or do not work with it.
void check_once(Arguments& arguments, bool once) {
  for (const char* name : {"json", "csv", "size"}) {
    if (arguments.has(name) && !once) {
      arguments.add_problem(error("--{} works only with --once", name));
    }
  }
  for (const char* name :
       {"replay-speed", "control", "history-from", "record", "no-mouse", "frame-bytes"}) {
    if (arguments.has(name) && once) {
      arguments.add_problem(error("--{} and --once exclude each other", name));
    }
  }
}

}  // namespace

CommandUsage top_usage() {
  CommandUsage usage{
      "usage: drover top [options]",
      "Shows the live dashboard: totals, a heat map of all devices, tables of devices and jobs, "
      "and each routing decision with its reason. Press ? for the keys, q to quit. With --replay "
      "it shows a recording: Space pauses, [ and ] step, + and - change the speed, @ goes to a "
      "time.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       {"replay-speed", "X", "with --replay: playback speed, 0.1 to 1000 (default 1)"},
       filter_option(),
       device_option(),
       history_from_option(),
       {"record", "FILE", "record what the router publishes, and your bookmarks, to FILE"},
       {"force", "", "with --record: overwrite an existing FILE"},
       min_free_option(),
       {"control", "", "allow drain, cap, cancel, inject and more; each asks for confirmation"},
       {"once", "", "print one frame and exit, like drover frame; needs no terminal"},
       size_option()},
      {},
      "  drover top\n"
      "  drover top --view routing\n"
      "  drover top --control\n"
      "  drover top --record today.mcap\n"
      "  drover top --view devices --once --json\n"
      "  drover top --theme light --save-config\n"
      "  drover top --connect tcp://127.0.0.1:9000 --ascii\n"
      "  drover top --history-from http://prometheus:9090\n"
      "  drover top --replay today.mcap --at 5m --replay-speed 10"};
  usage.add(table_options());
  usage.add(
      {{"print-config", "", "print the settings in force, each with a description, and exit"},
       {"save-config", "", "write the settings in force to the file, print its path, and exit"}});
  usage.add(settings_options());
  return usage;
}

CommandOutcome run_top(Arguments& arguments) {
  auto settings = DashboardSettings::open(arguments);
  const auto replay = read_replay(arguments);
  if (arguments.has("control") && replay) {
    arguments.add_problem(error("--control: a recording cannot be changed"));
  }
  const auto history = read_history_from(arguments);
  if (history != nullptr && replay) {
    arguments.add_problem(error("--history-from: a recording has all of its own history"));
  }
  const auto record = read_record(arguments, replay.has_value());
  const bool print = arguments.has("print-config");
  const bool save = arguments.has("save-config");
  if (print && save) {
    arguments.add_problem(error("--print-config and --save-config exclude each other"));
  }
  if (save && arguments.has("no-config")) {
    arguments.add_problem(error("--save-config and --no-config exclude each other"));
  }
  const std::string device = read_device(arguments);
  const bool once = arguments.has("once");
  check_once(arguments, once);
  if (!settings) {
    const Status status = arguments.status();
    return status ? CommandOutcome(settings.error()) : CommandOutcome(status.error());
  }
  const auto printed = dashboard_options(settings->in_force(), nullptr, device);
  const FrameOutput form = read_frame_output(arguments, printed, "top");
  DROVER_TRY(arguments.status());
  if (print || save) return output_settings(*settings, print);
  if (once) {
    return replay ? print_replay(*replay, printed, form) : print_live(arguments, printed, form);
  }
  return replay ? show_replay(*replay, device, *settings)
                : show_live(arguments, {device, history.get(), record}, *settings);
}

}  // namespace drover::commands
