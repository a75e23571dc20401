// Thousands of devices: one sign each, or one for several of a group, and as many groups in a row
// as fit. A row begins with the name of its first group. A group is in one row unless it is longer
// than a row, and a cell never holds devices of two groups.
#include <algorithm>

#include "tui/map/map_plan.h"

namespace drover::tui {
namespace {

/// Columns for the names. A label takes its columns in every row, so a screen narrower than three
/// labels has none.
int packed_label(const NameColumns& names, int columns) {
  return columns >= 3 * (names.name + 1) ? names.name + 1 : 0;
}

/// Where a group's cells begin in rows of `wide` cells.
struct PackedPlace {
  int row = 0, column = 0;

  /// The first of these cells is placed here; returns where the next group may begin.
  PackedPlace begin(int cells, int wide) const {
    return column > 0 && column + cells > wide ? PackedPlace{row + 1, 0} : *this;
  }
  PackedPlace after(int cells, int wide, int gap) const {
    const int end = column + cells;
    if (cells == 0) return *this;
    const int last = (end - 1) / wide;
    const int next = end - last * wide + gap;
    return next < wide ? PackedPlace{row + last, next} : PackedPlace{row + last + 1, 0};
  }
};

int rows_of(const MapPlan& plan, int wide, int gap) {
  PackedPlace next;
  int rows = 0;
  for (const HeatGroup& group : plan.order.groups) {
    const int cells = plan.cells_of(group);
    if (cells == 0) continue;
    const PackedPlace place = next.begin(cells, wide);
    rows = place.row + (place.column + cells - 1) / wide + 1;
    next = place.after(cells, wide, gap);
  }
  return rows;
}

/// Sets the fewest devices per cell with which the groups fit, and returns the blanks between
/// groups.
int choose_sharing(MapPlan& plan, int wide, int rows) {
  for (plan.map.per_cell = 1;; plan.map.per_cell = next_sharing(plan.map.per_cell)) {
    plan.map.per_cell = std::min(plan.map.per_cell, std::max(1u, plan.largest));
    for (const int gap : {1, 0}) {
      if (rows_of(plan, wide, gap) <= rows) return gap;
    }
    if (plan.map.per_cell >= plan.largest) return 0;
  }
}

void place_group(MapPlan& plan, std::uint32_t number, const PackedPlace& place, int left,
                 int wide) {
  const HeatGroup& group = plan.order.groups[number];
  for (int cell = 0; cell < plan.cells_of(group); ++cell) {
    const int column = (place.column + cell) % wide;
    const int row = place.row + (place.column + cell) / wide;
    const std::uint32_t within = static_cast<std::uint32_t>(cell) * plan.map.per_cell;
    if (column == 0 && left > 0) plan.map.labels.push_back({0, row, number, false, within});
    plan.map.cells.push_back({left + column, row, group.first + within,
                              std::min(plan.map.per_cell, group.count - within),
                              plan.order.rows[group.first + within]});
  }
}

}  // namespace

int packed_rows(MapPlan& plan, int columns) {
  const int wide = columns - packed_label(plan.names, columns);
  return wide > 0 ? rows_of(plan, wide, 0) : 0;
}

void place_packed(MapPlan& plan, int columns, int rows) {
  const int left = packed_label(plan.names, columns);
  const int wide = columns - left;
  if (wide <= 0 || rows <= 0 || plan.order.rows.empty()) return;
  plan.choose_labels(0);
  plan.map.name_columns = std::max(0, left - 1);
  plan.map.cell = {1, 1};
  plan.map.packed = true;
  const int gap = choose_sharing(plan, wide, rows);
  plan.map.rows = rows_of(plan, wide, gap);
  PackedPlace next;
  for (std::uint32_t g = 0; g < plan.order.groups.size(); ++g) {
    const int cells = plan.cells_of(plan.order.groups[g]);
    if (cells == 0) continue;
    const PackedPlace place = next.begin(cells, wide);
    place_group(plan, g, place, left, wide);
    next = place.after(cells, wide, gap);
  }
}

}  // namespace drover::tui
