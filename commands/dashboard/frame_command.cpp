// `drover frame`: prints the exact frame that top would show, as text, or a table for programs.
#include "commands/connection/filter_option.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_output.h"
#include "commands/dashboard/replay.h"
#include "commands/subcommands.h"

namespace drover::commands {

CommandUsage frame_usage() {
  CommandUsage usage{"usage: drover frame [options]",
                     "Prints one frame of the dashboard as text, without a terminal: for scripts, "
                     "tickets and tests. It waits at most 5 s until the whole fleet is known and "
                     "each host has reported. With --replay it prints the frame at one time of a "
                     "recording, which is always the same. With --json or --csv it prints a table "
                     "with all columns and rows: that of the view, or the one named by --table.",
                     {connect_option(),
                      replay_option(),
                      replay_at_option(),
                      filter_option(),
                      device_option(),
                      size_option(),
                      {"ansi", "", "with colours"}},
                     {},
                     "  drover frame\n"
                     "  drover frame --view devices --size 160x50\n"
                     "  drover frame --ansi > frame.txt\n"
                     "  drover frame --ansi --theme light --colours 8\n"
                     "  drover frame --view jobs --filter 'jobstate==failed' --csv > failed.csv\n"
                     "  drover frame --table pools --csv\n"
                     "  drover frame --replay today.mcap --at 90s --view devices"};
  usage.add(table_options());
  usage.add(appearance_options());
  return usage;
}

CommandOutcome run_frame(Arguments& arguments) {
  // No settings file is read: the same command line gives the same frame everywhere.
  const tui::Settings settings = read_command_line_settings(arguments).over({});
  const auto view = dashboard_options(settings, nullptr, read_device(arguments));
  if (!arguments.has("ansi") && (arguments.has("theme") || arguments.has("colours"))) {
    arguments.add_problem(error("--theme and --colours work only with --ansi"));
  }
  const FrameOutput form = read_frame_output(arguments, view, "frame");
  const auto replay = read_replay(arguments);
  DROVER_TRY(arguments.status());
  return replay ? print_replay(*replay, view, form) : print_live(arguments, view, form);
}

}  // namespace drover::commands
