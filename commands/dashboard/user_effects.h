// What a terminal does for the user of a dashboard: copies to the clipboard, and exported tables.
#pragma once

#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

/// Performs an effect that copies or exports, and says what became of it; ignores all others.
void perform_for_user(const tui::Effect& effect, tui::Dashboard& core, tui::Terminal& terminal);

/// Writes the table as CSV for spreadsheets into a new file. The error names the file.
Status export_csv(const tui::TableRows& table, const std::string& file);

}  // namespace drover::commands
