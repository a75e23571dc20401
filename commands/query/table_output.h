// The fleet's tables (tui/tables/table_rows.h) as JSON, CSV and text. Every command prints them so.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/shell/table.h"
#include "fleet/messages.h"
#include "fleet/text/json.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

/// An array with an object for each row. Missing values are null. A column "usage.cost_usd" is the
/// member `cost_usd` of the object `usage`, which is null if all of its members are.
Json to_json(const tui::TableRows& table);
Json row_to_json(const tui::TableRows& table, std::size_t row);
/// Missing values are empty, and the items of a list have a blank between them.
std::string to_csv(const tui::TableRows& table);
/// The same for a file that people open: a text that a spreadsheet would take for a formula has a
/// quote before it.
std::string to_spreadsheet_csv(const tui::TableRows& table);

/// The row of the table "jobs" for a job, apart from the fleet.
Json to_json(const JobChanged& job, Instant now);

/// The columns of `drover devices` for people: some of the columns of the dashboard's devices view.
/// `in_parts`: the table is written in several parts, so its columns have minimum widths.
std::vector<Heading> device_headings(bool in_parts);
std::vector<std::string> device_cells(const tui::EvaluationContext& at, tui::DeviceTable::Row row);

/// The output of `drover alerts`, and with --rules. Without alerts it is "no alerts".
std::string alerts_text(const tui::Model& model, Instant now, const TableStyle& style = {});
std::string rules_text(const tui::Model& model, const TableStyle& style = {});

}  // namespace drover::commands
