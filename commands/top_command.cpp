// `drover top`: the live dashboard on a terminal.
#include <chrono>

#include "commands/dashboard_loop.h"
#include "commands/stop_signals.h"
#include "commands/verbs.h"

namespace drover::commands {

Usage top_usage() {
  return {"usage: drover top [options]",
          "The live dashboard: totals, a heat map of all devices, tables of devices and jobs, and\n"
          "each routing decision with its reason. Press ? for its keys, q to leave.",
          {connect_option(),
           view_option(),
           ascii_option(),
           {"no-colour", "", "no colours (so does the variable NO_COLOR)"}},
          {},
          "  drover top\n"
          "  drover top --view routing\n"
          "  drover top --connect tcp://127.0.0.1:9000 --ascii"};
}

Outcome run_top(Arguments& arguments) {
  DashboardView view = read_view(arguments);
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  StopSignals signals;
  const std::string endpoint = endpoint_of(arguments);
  auto session = Session::open({endpoint, Role::viewer, "top"});
  if (!session) return Outcome::failed(session.error());
  auto terminal =
      tui::Terminal::open(arguments.has("no-colour") ? tui::Colours::none : tui::Colours::detect);
  if (!terminal) return Outcome::failed(terminal.error());
  view.ascii = view.ascii || !(*terminal)->unicode();
  auto loop = DashboardLoop::open(**session, view, endpoint, (*terminal)->size());
  if (!loop) return Outcome::failed(loop.error());
  (*session)->sockets().watch(signals.descriptor());
  (*loop)->attach(**terminal);
  while (!(*loop)->core().quit() && !signals.stopped()) {
    (*loop)->turn(std::chrono::milliseconds(250));
  }
  return Outcome::done();
}

}  // namespace drover::commands
