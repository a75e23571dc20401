// One frame of the dashboard printed: as text, or a table of it for programs. For `frame` and
// for `top --once`.
#pragma once

#include <string>

#include "commands/dashboard/dashboard_loop.h"
#include "commands/shell/outcome.h"
#include "fleet/text/json.h"
#include "tui/views/table_rows.h"

namespace drover::commands {

enum class FrameFormat { text, ansi, json, csv };

struct FrameForm {
  FrameFormat format = FrameFormat::text;
  tui::Size size;
  std::string verb;   // that prints it
  std::string table;  // of json and csv
};

Option json_table_option();
Option csv_table_option();
Option table_option();
/// `--json`, `--csv`, `--table`, `--ansi` and `--size`, for the verbs that have them; what does not
/// go together or with the view is complained of.
FrameForm read_form(Arguments& arguments, const DashboardView& view, const std::string& verb);

/// A table for programs. Missing is null, or empty.
Json to_json(const tui::TableRows& table);
std::string to_csv(const tui::TableRows& table);

/// What `core` shows `now`. Failed: it is asked about a device that is not known then.
Status put_frame(tui::Dashboard& core, Instant now, const FrameForm& form,
                 const DashboardView& view);

/// Of a fleet that is known, each of its hosts having reported: waits for that for 5 s at most.
CommandOutcome print_live(Arguments& arguments, const DashboardView& view, const FrameForm& form);

}  // namespace drover::commands
