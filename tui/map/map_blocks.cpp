// Each group is a block: a label and the cells after it. Blocks that do not fit below each other
// are placed beside each other. A host of usual size is one line of cells, with a blank between its
// groups of devices; the cells of other groups are broken into several lines.
#include <algorithm>
#include <string>

#include "tui/map/map_plan.h"

namespace drover::tui {
namespace {

constexpr int wide_gap = 3;  // before sums

int lines_of(const MapPlan& plan, const Blocks& blocks, const HeatGroup& group) {
  const int lines = (plan.cells_of(group) + blocks.line_cells - 1) / blocks.line_cells;
  return std::max(1, lines) * blocks.cell.lines;
}

/// The number of columns of blocks if each has `rows` rows.
int columns_filled(const MapPlan& plan, const Blocks& blocks, int rows) {
  int filled = 1, row = 0;
  for (const HeatGroup& group : plan.order.groups) {
    const int lines = lines_of(plan, blocks, group);
    if (row + lines > rows) {
      ++filled;
      row = 0;
    }
    row += lines;
  }
  return filled;
}

/// The fewest rows on which the blocks fit; rows_max + 1 if there are more.
int fewest_rows(const MapPlan& plan, const Blocks& blocks, int rows_max) {
  int all = 0, tallest = 1;
  for (const HeatGroup& group : plan.order.groups) {
    const int lines = lines_of(plan, blocks, group);
    all += lines;
    tallest = std::max(tallest, lines);
  }
  int rows = std::max(tallest, (all + blocks.beside - 1) / blocks.beside);
  while (rows <= rows_max && columns_filled(plan, blocks, rows) > blocks.beside) ++rows;
  return std::min(rows, rows_max + 1);
}

/// Whether each host is one row, with room for its sums after the cells.
bool has_sums(const MapPlan& plan, const Blocks& blocks, int columns) {
  return plan.by_hosts() && blocks.beside == 1 && blocks.cell.lines == 1 &&
         blocks.line_cells >= plan.widest_line().cells &&
         blocks.columns + wide_gap + host_sums_columns <= columns;
}

/// Of a host's line: the cells leave room for its sums, if there is room at all.
LineFit fit_beside_sums(const MapFormat& format, const LineContent& content, int room) {
  const LineFit fit = fit_line(format, content, room - wide_gap - host_sums_columns);
  return fit.cells >= content.cells ? fit : fit_line(format, content, room);
}

void place_cells(MapPlan& plan, const Blocks& blocks, const HeatGroup& group, int left, int top) {
  const auto rows = plan.order.rows_of(group);
  const bool whole = plan.by_hosts() && blocks.line_cells >= plan.widest_line().cells;
  int blanks = 0, cell = 0;
  for (std::uint32_t i = 0; i < group.count; i += plan.map.per_cell, ++cell) {
    if (whole && i > 0) blanks += plan.separated(rows[i - 1], rows[i]) ? 1 : 0;
    plan.map.cells.push_back({left + cell % blocks.line_cells * blocks.cell.columns + blanks,
                              top + cell / blocks.line_cells * blocks.cell.lines, group.first + i,
                              std::min(plan.map.per_cell, group.count - i), rows[i]});
  }
}

void place_blocks(MapPlan& plan, const Blocks& blocks, int columns) {
  const int label = map_label_columns(plan.map);
  int left = 0, row = 0;
  const std::string* rack = nullptr;
  plan.map.cell = blocks.cell;
  plan.map.rows = blocks.below;
  for (std::uint32_t g = 0; g < plan.order.groups.size(); ++g) {
    const HeatGroup& group = plan.order.groups[g];
    const int lines = lines_of(plan, blocks, group);
    if (row + lines > blocks.below) {
      left += blocks.columns + blocks.gap;
      row = 0;
    }
    const std::string* const its =
        plan.by_hosts() ? &plan.model.hosts()[group.host].reported.registration.rack : nullptr;
    const bool new_rack = its != nullptr && (row == 0 || rack == nullptr || *rack != *its);
    rack = its;
    plan.map.labels.push_back({left, row, g, new_rack});
    for (int line = 1; line < lines / blocks.cell.lines; ++line) {
      const int within = line * blocks.line_cells * static_cast<int>(plan.map.per_cell);
      plan.map.labels.push_back(
          {left, row + line * blocks.cell.lines, g, false, static_cast<std::uint32_t>(within)});
    }
    place_cells(plan, blocks, group, left + label, row);
    row += lines;
  }
  if (has_sums(plan, blocks, columns)) plan.map.sums_column = blocks.columns + wide_gap;
}

}  // namespace

std::vector<Blocks> arrangements(MapPlan& plan, const MapFormat& format, int columns,
                                 int rows_max) {
  std::vector<Blocks> all;
  plan.choose_labels(format.details);
  const LineContent widest = plan.widest_line();
  const int label = map_label_columns(plan.map);
  const auto groups = static_cast<int>(plan.order.groups.size());
  for (int beside = 1; beside <= groups; ++beside) {
    const int room = (columns - (beside - 1) * format.gap) / beside - label;
    if (room < 0) break;
    const bool sums = plan.by_hosts() && beside == 1 && format.lines == 1;
    const LineFit fit =
        sums ? fit_beside_sums(format, widest, room) : fit_line(format, widest, room);
    if (fit.cells == 0) break;
    const int blanks = fit.cells >= widest.cells ? widest.blanks : 0;
    Blocks blocks{beside,    label + fit.cells * fit.columns + blanks,
                  fit.cells, {fit.columns, format.lines},
                  0,         format.gap};
    // A group takes at least a row.
    const bool too_many = groups * format.lines > beside * rows_max;
    blocks.below = too_many ? rows_max + 1 : fewest_rows(plan, blocks, rows_max);
    all.push_back(blocks);
  }
  return all;
}

bool place_first_fit(MapPlan& plan, int columns, int rows) {
  if (plan.order.groups.empty() || rows <= 0) return false;
  for (const MapFormat& format : map_formats(plan.by_hosts())) {
    if (plan.map.per_cell > 1 && format.least > 1) continue;
    for (const Blocks& blocks : arrangements(plan, format, columns, rows)) {
      if (blocks.below > rows) continue;
      place_blocks(plan, blocks, columns);
      return true;
    }
  }
  return false;
}

}  // namespace drover::tui
