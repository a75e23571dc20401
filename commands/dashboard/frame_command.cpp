// `drover frame`: prints the exact frame that top would show, as text, or a table for programs.
#include <fmt/format.h>

#include "commands/connection/filter_option.h"
#include "commands/connection/router_address.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/frame_output.h"
#include "commands/dashboard/replay.h"
#include "commands/dashboard/watched_frame.h"
#include "commands/query/table_output.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::commands {

std::vector<Option> table_options() {
  return {{"json", "", "print the view's table as a JSON array; missing values are null"},
          {"csv", "", "print the view's table as CSV; missing values are empty"},
          Option::choice("table", "NAME",
                         fmt::format("with --json or --csv: {}", joined(tui::table_names(), " ")),
                         tui::table_names())};
}

namespace {

/// The table named by --table, else the view's.
std::string read_table(Arguments& arguments, const std::string& view, const char* format) {
  if (!arguments.has("table")) {
    const std::string table(tui::table_of_view(view));
    if (table.empty()) {
      arguments.add_problem(error("{}: the view {} has no table; use --table with one of: {}",
                                  format, view, joined(tui::table_names(), " ")));
    }
    return table;
  }
  const std::string table = arguments.text("table");
  const auto& known = tui::table_names();
  if (!contains(known, table)) {
    arguments.add_problem(
        error("--table: found '{}', expected one of: {}", excerpt(table), joined(known, " ")));
    return {};
  }
  for (const char* name : {"filter", "device"}) {
    if (!arguments.has(name) || tui::table_is_filtered(table)) continue;
    arguments.add_problem(
        error("--{} has no effect on --table {}, which covers the whole fleet", name, table));
  }
  return table;
}

}  // namespace

FrameOutput read_frame_output(Arguments& arguments, const tui::DashboardOptions& view,
                              const std::string& command) {
  const bool json = arguments.has("json"), csv = arguments.has("csv");
  const char* const option = json ? "--json" : "--csv";
  std::string table;
  if (json && csv) arguments.add_problem(error("--json and --csv exclude each other"));
  if (json || csv) {
    for (const char* name : {"ansi", "size"}) {
      if (arguments.has(name)) {
        arguments.add_problem(error("--{} and {} exclude each other", name, option));
      }
    }
    table = read_table(arguments, view.settings.start.view, option);
  } else if (arguments.has("table")) {
    arguments.add_problem(error("--table works only with --json or --csv"));
  }
  const FrameFormat format = json                    ? FrameFormat::json
                             : csv                   ? FrameFormat::csv
                             : arguments.has("ansi") ? FrameFormat::ansi
                                                     : FrameFormat::text;
  return {format, read_size(arguments), command, table};
}

Status write_frame(tui::Dashboard& core, Instant now, const FrameOutput& form,
                   const tui::DashboardOptions& view) {
  const tui::Canvas& frame = core.draw(now);
  if (!core.knows_device()) {
    return error(ErrorKind::not_found,
                 "--device: no device {}, or not at that time; `drover devices` lists all",
                 printable(view.device));
  }
  switch (form.format) {
    case FrameFormat::text:
    case FrameFormat::ansi:
      write_stdout_text(frame_text(frame, view.settings, form.format == FrameFormat::ansi));
      break;
    case FrameFormat::json:
      write_stdout("{}\n", to_json(core.table(now, form.table)).dump());
      break;
    case FrameFormat::csv:
      write_stdout_text(to_csv(core.table(now, form.table)));
      break;
  }
  return {};
}

CommandOutcome print_live(Arguments& arguments, const tui::DashboardOptions& view,
                          const FrameOutput& form) {
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::viewer, form.command}));
  DROVER_ASSIGN(auto loop, DashboardLoop::open(*session, view, form.size));
  const WallTime end = wall_now() + answer_timeout;
  while (!loop->core().has_synced() && wall_now() < end) {
    loop->turn(std::chrono::milliseconds(50));
  }
  const Status shown = write_frame(loop->core(), session->clock().now(), form, view);
  if (!shown) return shown.error();
  if (loop->core().has_synced()) return CommandOutcome::done();
  return CommandOutcome::partly("not every host had reported after 5 s");
}

CommandUsage frame_usage() {
  CommandUsage usage{
      "usage: drover frame [options]",
      "Prints one frame of the dashboard as text, without a terminal: for scripts, "
      "tickets and tests. It waits at most 5 s until the whole fleet is known and "
      "each host has reported. With --replay it prints the frame at one time of a "
      "recording, which is always the same. With --json or --csv it prints a table "
      "with all columns and rows: that of the view, or the one named by --table. With --scrape "
      "it reads pages of metrics once, without a router.",
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
      "  drover frame --replay today.mcap --at 90s --view devices\n"
      "  drover frame --scrape http://node-7:9400/metrics --view devices --json"};
  for (const Option& option : source_options()) {
    if (option.name != "real" && option.name != "every") usage.add({option});
  }
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
  const SourceOptions sources = read_source_options(arguments);
  if (sources.any() && (replay || arguments.has("connect"))) {
    arguments.add_problem(
        error("--scrape and --prometheus exclude --connect and --replay: use one of them"));
  }
  DROVER_TRY(arguments.status());
  if (sources.any()) return print_watched(sources, view, form);
  return replay ? print_replay(*replay, view, form) : print_live(arguments, view, form);
}

}  // namespace drover::commands
