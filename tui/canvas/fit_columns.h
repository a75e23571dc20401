// Selects the columns of a table that fit; narrow screens keep the lowest ranks, and wider ones
// show whatever a narrower one shows. Draws their titles.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// A column of a table, and where it is drawn.
template <typename Column>
struct PlacedColumn {
  const Column* column;
  int at, width;
};

/// The columns that fit into `room` with a blank after each, in the table's order, from `at` on.
/// Column has title, width and rank. The first that does not fit ends them: a smaller one of a
/// higher rank would be gone where that one fits. `left_out`: the title of a column to omit.
template <typename Column>
std::vector<PlacedColumn<Column>> fit_columns(std::span<const Column> table, int at, int room,
                                              std::string_view left_out = {}) {
  std::vector<const Column*> by_rank;
  for (const Column& column : table) by_rank.push_back(&column);
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [](const Column* a, const Column* b) { return a->rank < b->rank; });
  std::vector<const Column*> shown;
  for (const Column* const column : by_rank) {
    if (column->title == left_out) continue;
    if (column->width + 1 > room) break;
    shown.push_back(column);
    room -= column->width + 1;
  }
  std::sort(shown.begin(), shown.end());
  std::vector<PlacedColumn<Column>> placed;
  for (const Column* const column : shown) {
    placed.push_back({column, at, column->width});
    at += column->width + 1;
  }
  return placed;
}

/// The first column after the placed ones and their blanks; `at` if there are none.
template <typename Column>
int column_after(const std::vector<PlacedColumn<Column>>& columns, int at) {
  return columns.empty() ? at : columns.back().at + columns.back().width + 1;
}

/// Makes the column with this title wider, if it is placed.
template <typename Column>
void widen(std::vector<PlacedColumn<Column>>& columns, std::string_view title, int more) {
  int moved = 0;
  for (PlacedColumn<Column>& placed : columns) {
    placed.at += moved;
    if (placed.column->title != title) continue;
    placed.width += more;
    moved = more;
  }
}

template <typename Column>
void draw_column_titles(DrawRegion& region, int row,
                        const std::vector<PlacedColumn<Column>>& columns, CellStyle style) {
  for (const auto& [column, at, width] : columns) {
    region.field(at, row, width, column->title, style, column->align);
  }
}

}  // namespace drover::tui
