// The tables of the views for programs: every row and every column of the moment that is shown.
// Units stand in the names; those of a class's numbers follow from its metric, as in the policy.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tui/state/scene.h"

namespace drover::tui {

/// Missing, a number, or text as it came: whoever writes it makes it safe.
using TableCell = std::variant<std::monostate, double, std::string>;

struct TableRows {
  std::vector<std::string> names;
  std::vector<std::vector<TableCell>> rows;  // each as long as `names`
};

const std::vector<std::string>& table_names();
/// The table that is meant where only a view is named; empty: the view has none.
std::string_view table_of_view(std::string_view view);
/// Whether its rows are narrowed by the filter and to one device; else they are of the whole fleet.
bool table_narrows(std::string_view name);

/// Devices in the order of the list on the screen. REQUIRES one of table_names().
TableRows table_rows(const Scene& scene, std::string_view name);

}  // namespace drover::tui
