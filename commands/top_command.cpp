// `drover top`: the dashboard on a terminal, live or of a recording.
#include <chrono>

#include "commands/dashboard_loop.h"
#include "commands/filter_option.h"
#include "commands/frame_form.h"
#include "commands/replay.h"
#include "commands/stop_signals.h"
#include "commands/verbs.h"

namespace drover::commands {

Usage top_usage() {
  Usage usage{
      "usage: drover top [options]",
      "The live dashboard: totals, a heat map of all devices, tables of devices and jobs, and\n"
      "each routing decision with its reason. Press ? for its keys, q to leave.\n"
      "With --replay the same of a recording: Space pauses, [ and ] step, + and - set the\n"
      "pace, @ goes to a time.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       {"rate", "X", "with --replay: so many times as fast as it was, 0.1 to 1000"},
       view_option(),
       filter_option(),
       device_option(),
       ascii_option(),
       history_option(),
       {"control", "", "change the fleet from here: drain, cap, cancel, inject; each asks first"},
       {"once", "", "print one frame and end, as drover frame does; needs no terminal"},
       size_option(),
       json_table_option(),
       csv_table_option()},
      {},
      "  drover top\n"
      "  drover top --view routing\n"
      "  drover top --control\n"
      "  drover top --view devices --once --json\n"
      "  drover top --connect tcp://127.0.0.1:9000 --ascii\n"
      "  drover top --replay today.mcap --at 5m --rate 10"};
  const std::vector<Option> of_terminal = terminal_options();
  usage.options.insert(usage.options.end(), of_terminal.begin(), of_terminal.end());
  return usage;
}

Outcome run_top(Arguments& arguments) {
  DashboardView view = read_view(arguments);
  const auto replay = read_replay(arguments);
  const tui::TerminalOptions shown = read_terminal(arguments);
  view.control = arguments.has("control");
  if (view.control && replay) {
    arguments.complain(error("--control: a recording cannot be changed"));
  }
  const bool once = arguments.has("once");
  const FrameForm form = read_form(arguments, view, "top");
  for (const char* name : {"json", "csv", "size"}) {
    if (arguments.has(name) && !once) arguments.complain(error("--{} goes with --once", name));
  }
  for (const char* name : {"rate", "control", "no-colour", "no-mouse", "frame-bytes"}) {
    if (arguments.has(name) && once) {
      arguments.complain(error("--{} does not go with --once", name));
    }
  }
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  if (once) return replay ? print_replay(*replay, view, form) : print_live(arguments, view, form);
  if (replay) return show_replay(*replay, view, shown);
  StopSignals signals;
  const RouterAddress endpoint = endpoint_of(arguments);
  auto session = Session::open({endpoint, view.control ? Role::client : Role::viewer, "top"});
  if (!session) return Outcome::failed(session.error());
  auto terminal = tui::Terminal::open(shown);
  if (!terminal) return Outcome::failed(terminal.error());
  view.ascii = view.ascii || !(*terminal)->unicode();
  view.steady_colours = true;
  auto loop = DashboardLoop::open(**session, view, endpoint, (*terminal)->size());
  if (!loop) return Outcome::failed(loop.error());
  (*session)->sockets().watch(signals.descriptor());
  (*loop)->attach(**terminal);
  while (!(*loop)->core().quit() && !signals.stopped()) {
    (*loop)->turn(std::chrono::milliseconds(250));
  }
  const Status there = (*terminal)->status();
  terminal->reset();
  return there ? Outcome::done() : Outcome::failed(there.error());
}

}  // namespace drover::commands
