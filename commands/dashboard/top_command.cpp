// `drover top`: the dashboard on a terminal, live or of a recording.
#include <chrono>

#include "commands/connection/filter_option.h"
#include "commands/dashboard/dashboard_loop.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_form.h"
#include "commands/dashboard/replay.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/shell/user_name.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

/// `--print-config` and `--save-config`: of the settings in force, those of the command line too.
CommandOutcome put_settings(DashboardSettings& settings, bool print) {
  if (print) {
    put_text(tui::documented(settings.in_force()));
    return CommandOutcome::done();
  }
  const auto path = settings.save(settings.in_force());
  if (!path) return CommandOutcome::failed(path.error());
  put("{}\n", printable(*path));
  return CommandOutcome::done();
}

CommandOutcome show_live(const Arguments& arguments, const std::string& device,
                         DashboardSettings& settings) {
  StopSignals signals;
  const RouterAddress endpoint = endpoint_of(arguments);
  const bool control = arguments.has("control");
  auto session = Session::open({endpoint, control ? Role::client : Role::viewer, user_name("top")});
  if (!session) return CommandOutcome::failed(session.error());
  auto terminal = tui::Terminal::open(terminal_options(settings.in_force()));
  if (!terminal) return CommandOutcome::failed(terminal.error());
  const DashboardView view{.settings = settings.in_force(),
                           .ascii = wants_ascii(settings.in_force(), (*terminal)->unicode()),
                           .steady_colours = true,
                           .control = control,
                           .device = device};
  auto loop = DashboardLoop::open(**session, view, endpoint, (*terminal)->size());
  if (!loop) return CommandOutcome::failed(loop.error());
  (*session)->sockets().watch(signals.descriptor());
  (*loop)->attach(**terminal);
  while (!(*loop)->core().quit() && !signals.stopped()) {
    (*loop)->turn(std::chrono::milliseconds(250));
    settings.follow((*loop)->core(), **terminal, (*session)->clock().now());
  }
  const Status there = (*terminal)->status();
  terminal->reset();
  return there ? CommandOutcome::done() : CommandOutcome::failed(there.error());
}

/// What goes with `--once`, and what does not.
void check_once(Arguments& arguments, bool once) {
  for (const char* name : {"json", "csv", "size"}) {
    if (arguments.has(name) && !once) arguments.complain(error("--{} goes with --once", name));
  }
  for (const char* name : {"rate", "control", "no-mouse", "frame-bytes"}) {
    if (arguments.has(name) && once) {
      arguments.complain(error("--{} does not go with --once", name));
    }
  }
}

}  // namespace

CommandUsage top_usage() {
  CommandUsage usage{
      "usage: drover top [options]",
      "The live dashboard: totals, a heat map of all devices, tables of devices and jobs, and\n"
      "each routing decision with its reason. Press ? for its keys, q to leave.\n"
      "With --replay the same of a recording: Space pauses, [ and ] step, + and - set the\n"
      "pace, @ goes to a time.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       {"rate", "X", "with --replay: so many times as fast as it was, 0.1 to 1000"},
       filter_option(),
       device_option(),
       {"control", "", "change the fleet from here: drain, cap, cancel, inject; each asks first"},
       {"once", "", "print one frame and end, as drover frame does; needs no terminal"},
       size_option(),
       json_table_option(),
       csv_table_option(),
       table_option(),
       {"print-config", "", "print the settings in force, each with what it is for, and end"},
       {"save-config", "", "write them to the file of settings, print its path, and end"}},
      {},
      "  drover top\n"
      "  drover top --view routing\n"
      "  drover top --control\n"
      "  drover top --view devices --once --json\n"
      "  drover top --theme light --save-config\n"
      "  drover top --connect tcp://127.0.0.1:9000 --ascii\n"
      "  drover top --replay today.mcap --at 5m --rate 10"};
  const std::vector<Option> of_settings = settings_options();
  usage.options.insert(usage.options.end(), of_settings.begin(), of_settings.end());
  return usage;
}

CommandOutcome run_top(Arguments& arguments) {
  auto settings = DashboardSettings::open(arguments);
  const auto replay = read_replay(arguments);
  if (arguments.has("control") && replay) {
    arguments.complain(error("--control: a recording cannot be changed"));
  }
  const bool print = arguments.has("print-config");
  const bool save = arguments.has("save-config");
  if (print && save) {
    arguments.complain(error("--print-config and --save-config: give one of them"));
  }
  if (save && arguments.has("no-config")) {
    arguments.complain(error("--save-config and --no-config: give one of them"));
  }
  const std::string device = read_device(arguments);
  const bool once = arguments.has("once");
  check_once(arguments, once);
  if (!settings) {
    const Status status = arguments.status();
    return status ? CommandOutcome::failed(settings.error())
                  : CommandOutcome::usage(status.error());
  }
  const DashboardView printed{.settings = settings->in_force(),
                              .ascii = wants_ascii(settings->in_force()),
                              .device = device};
  const FrameForm form = read_form(arguments, printed, "top");
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  if (print || save) return put_settings(*settings, print);
  if (once) {
    return replay ? print_replay(*replay, printed, form) : print_live(arguments, printed, form);
  }
  return replay ? show_replay(*replay, device, *settings) : show_live(arguments, device, *settings);
}

}  // namespace drover::commands
