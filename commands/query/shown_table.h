// The columns of a fleet's table that people read, and how its cells look there. Programs read all
// columns (table_output.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/shell/table.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

struct ShownColumn {
  std::string_view column;   // as in tui::TableRows::names
  std::string_view heading;  // with the unit, if the cells do not state theirs
  std::string (*text)(const tui::TableCell& cell);
  Align align = Align::left;
  bool states = false;        // states or severities, which have colours
  std::size_t width_min = 0;  // for a table that is printed in several parts
};

// Of tables "hosts", "pools" and "events".
std::span<const ShownColumn> host_columns();
std::span<const ShownColumn> pool_columns();
std::span<const ShownColumn> event_columns();

/// REQUIRES that the table has the columns.
std::string shown_text(const tui::TableRows& table, std::span<const ShownColumn> columns,
                       const TableStyle& style);

}  // namespace drover::commands
