// The tables of the views for programs: all rows and columns of the moment shown. Column names
// include the unit; the unit of a class's numbers follows from its metric, as in the policy.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Missing, a number, or text as received: the caller escapes it for output.
using TableCell = std::variant<std::monostate, double, std::string>;

struct TableRows {
  std::vector<std::string> names;
  std::vector<std::vector<TableCell>> rows;  // each as long as `names`
};

const std::vector<std::string>& table_names();
/// The default table of a view; empty if it has none.
std::string_view table_of_view(std::string_view view);
/// Whether the filter and a selected device limit its rows; else they cover the whole fleet.
bool table_is_filtered(std::string_view name);

/// The table. Devices are in the order of the list on the screen. REQUIRES one of table_names().
TableRows table_rows(const FrameContext& frame, std::string_view name);

}  // namespace drover::tui
