// `drover frame`: the exact frame that top would show, as text, or its table for programs.
#include "commands/connection/filter_option.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_form.h"
#include "commands/dashboard/replay.h"
#include "commands/verbs.h"

namespace drover::commands {

CommandUsage frame_usage() {
  CommandUsage usage{
      "usage: drover frame [options]",
      "One frame of the dashboard as text, without a terminal: for scripts, tickets and tests.\n"
      "Waits until the whole fleet is known and each host has reported once, at most 5 s.\n"
      "With --replay the frame of one moment of a recording, always the same. With --json or\n"
      "--csv a table instead, all of its columns and rows: the view's, or the one that --table "
      "names.",
      {connect_option(),
       replay_option(),
       replay_at_option(),
       filter_option(),
       device_option(),
       size_option(),
       {"ansi", "", "with colours"},
       json_table_option(),
       csv_table_option(),
       table_option()},
      {},
      "  drover frame\n"
      "  drover frame --view devices --size 160x50\n"
      "  drover frame --ansi > frame.txt\n"
      "  drover frame --ansi --theme light --colours 8\n"
      "  drover frame --view jobs --filter 'jobstate==failed' --csv > failed.csv\n"
      "  drover frame --table pools --csv\n"
      "  drover frame --replay today.mcap --at 90s --view devices"};
  const std::vector<Option> of_looks = look_options();
  usage.options.insert(usage.options.end(), of_looks.begin(), of_looks.end());
  return usage;
}

CommandOutcome run_frame(Arguments& arguments) {
  // No file of settings: the same words give the same frame everywhere.
  const tui::Settings settings = read_given(arguments).over({});
  const DashboardView view{
      .settings = settings, .ascii = wants_ascii(settings), .device = read_device(arguments)};
  if (!arguments.has("ansi") && (arguments.has("theme") || arguments.has("colours"))) {
    arguments.complain(error("--theme and --colours go with --ansi"));
  }
  const FrameForm form = read_form(arguments, view, "frame");
  const auto replay = read_replay(arguments);
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  return replay ? print_replay(*replay, view, form) : print_live(arguments, view, form);
}

}  // namespace drover::commands
