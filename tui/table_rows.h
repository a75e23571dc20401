// The tables of the views for programs: every row and every column of the moment that is shown,
// narrowed by its filter and, where one is given, to one device. Units stand in the names.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tui/scene.h"

namespace drover::tui {

/// Missing, a number, or text as it came: whoever writes it makes it safe.
using TableCell = std::variant<std::monostate, double, std::string>;

struct TableRows {
  std::vector<std::string> names;
  std::vector<std::vector<TableCell>> rows;  // each as long as `names`
};

/// The views that have a table.
const std::vector<std::string>& table_view_names();

/// Of the scene's view; devices in the order of the list on the screen. REQUIRES a view of
/// table_view_names().
TableRows table_rows(const Scene& scene);

}  // namespace drover::tui
