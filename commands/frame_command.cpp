// `drover frame`: the exact frame that top would show, as text, or its table for programs.
#include "commands/filter_option.h"
#include "commands/frame_form.h"
#include "commands/replay.h"
#include "commands/verbs.h"

namespace drover::commands {

Usage frame_usage() {
  return {
      "usage: drover frame [options]",
      "One frame of the dashboard as text, without a terminal: for scripts, tickets and tests.\n"
      "Waits until the whole fleet is known and each host has reported once, at most 5 s.\n"
      "With --replay the frame of one moment of a recording, always the same. With --json or "
      "--csv\n"
      "the view's table for programs: devices, jobs, routing, power, events or data-plane.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       view_option(),
       filter_option(),
       device_option(),
       ascii_option(),
       history_option(),
       size_option(),
       {"ansi", "", "with colours"},
       json_table_option(),
       csv_table_option()},
      {},
      "  drover frame\n"
      "  drover frame --view devices --size 160x50\n"
      "  drover frame --ansi > frame.txt\n"
      "  drover frame --view jobs --filter 'state==failed' --csv > failed.csv\n"
      "  drover frame --replay today.mcap --at 90s --view devices"};
}

Outcome run_frame(Arguments& arguments) {
  const DashboardView view = read_view(arguments);
  const FrameForm form = read_form(arguments, view, "frame");
  const auto replay = read_replay(arguments);
  if (const Status status = arguments.status(); !status) return Outcome::usage(status.error());
  return replay ? print_replay(*replay, view, form) : print_live(arguments, view, form);
}

}  // namespace drover::commands
