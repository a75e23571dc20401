// The columns of a fleet's table that people read, and how its cells look there. Programs read all
// columns (table_output.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/shell/table.h"
#include "tui/tables/table_rows.h"

namespace drover::commands {

/// A row of a table.
struct ShownRow {
  const tui::TableRows& table;
  std::size_t row = 0;
  /// REQUIRES that the table has the column.
  const tui::TableCell& operator[](std::string_view column) const;
};

struct ShownColumn {
  std::string_view heading;  // with the unit, if the cells do not state theirs
  std::string_view column;   // as in tui::TableRows::names
  std::string (*text)(const tui::TableCell& cell);
  Align align = Align::left;
  bool states = false;        // states or severities, which have colours
  std::size_t width_min = 0;  // for a table that is printed in several parts
  std::string (*of_row)(const ShownRow& row) = nullptr;  // instead, from several columns
};

// Of tables "hosts", "pools" and "events".
std::span<const ShownColumn> shown_host_columns();
std::span<const ShownColumn> shown_pool_columns();
std::span<const ShownColumn> shown_event_columns();

/// REQUIRES that the table has the columns.
std::string shown_text(const tui::TableRows& table, std::span<const ShownColumn> columns,
                       const TableStyle& style);

}  // namespace drover::commands
