// A tree of lines as rows of a panel, with the branches before each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fleet/explanation/why_tree.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// A row: the branches before the text, a letter for each level, and a piece of the line.
struct TreeRow {
  std::string branches;  // ' ' nothing, '|' goes on below, '+' begins here, '`' begins and ends
  std::string text;
  CellStyle style = CellStyle::plain;
};

inline constexpr int branch_columns = 2;  // of each level

/// Wraps the lines at words. A level whose branches would take half of the columns has none.
std::vector<TreeRow> tree_rows(std::span<const TreeLine> lines, int columns);
void draw_tree_row(DrawRegion& region, int row, const TreeRow& tree);

}  // namespace drover::tui
