// Prints one frame of the dashboard as text, or a table for programs, for `frame` and `top --once`
// (frame_command.cpp).
#pragma once

#include <string>

#include "commands/dashboard/dashboard_loop.h"
#include "commands/shell/outcome.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

enum class FrameFormat { text, ansi, json, csv };

struct FrameOutput {
  FrameFormat format = FrameFormat::text;
  tui::Size size;
  std::string command;  // the command that prints it
  std::string table;    // of json and csv
};

/// `--json`, `--csv`, `--table`.
std::vector<Option> table_options();
/// Reads `--json`, `--csv`, `--table`, `--ansi` and `--size`. Adds a problem for options that do
/// not go together or with the view.
FrameOutput read_frame_output(Arguments& arguments, const tui::DashboardOptions& view,
                              const std::string& command);

/// Prints the frame or table of `core` at `now`. An error if the selected device is not known then.
Status write_frame(tui::Dashboard& core, Instant now, const FrameOutput& form,
                   const tui::DashboardOptions& view);

/// Prints the frame once the fleet is known and each host has reported; waits at most 5 s.
CommandOutcome print_live(Arguments& arguments, const tui::DashboardOptions& view,
                          const FrameOutput& form);

}  // namespace drover::commands
