// Each group is a block: a label and the cells after it. Blocks that do not fit below each other
// are placed beside each other. A host is one line, with a blank between its groups of devices; the
// cells of other groups flow over several lines. If even the narrowest blocks do not fit, devices
// flow cell by cell in their order, the label is the row's first group, and several devices share a
// cell if necessary.
#include "tui/map/heat_map.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

namespace drover::tui {
namespace {

constexpr int name_columns_max = 16;
constexpr int rack_columns_max = 10;
constexpr int mean_columns = 5;       // "100%", "12.3s"
constexpr int blocks_below_max = 12;  // rows of blocks before a second column of blocks
constexpr int wanted_rows_max = 1'000;
constexpr int line_cells_least = 4;  // blocks are not cut into narrower strips
constexpr int wide_gap = 3;          // between blocks

/// The formats of a map, from wide to narrow. Cells of two or more columns show a number.
struct MapFormat {
  int cell;
  int details;  // parts of the label in addition to the name
  int gap = wide_gap;
};
constexpr MapFormat host_formats[] = {{6, 2}, {5, 2}, {4, 2}, {3, 2}, {4, 1},
                                      {3, 1}, {2, 1}, {2, 0}, {1, 0}, {1, 0, 1}};
constexpr MapFormat group_formats[] = {{6, 2}, {5, 2}, {4, 2}, {3, 2},   {2, 2},
                                       {1, 2}, {1, 1}, {1, 0}, {1, 0, 1}};

constexpr MapFormat readable = {4, 2};

struct Names {
  int rack = 0, name = 0, kind = 0, count = 0;
};

bool by_hosts(const HeatOrder& order) { return order.grouping == Grouping::host; }

std::span<const MapFormat> formats_of(const HeatOrder& order) {
  return by_hosts(order) ? std::span<const MapFormat>(host_formats)
                         : std::span<const MapFormat>(group_formats);
}

Names longest_names(const Model& model, const HeatOrder& order) {
  Names names;
  std::uint32_t most = 0;
  for (const HeatGroup& group : order.groups) {
    names.name = std::max(names.name, static_cast<int>(group.name.size()));
    most = std::max(most, group.count);
    if (!by_hosts(order)) continue;
    const Register& registration = model.hosts()[group.host].reported.registration;
    names.rack = std::max(names.rack, static_cast<int>(registration.rack.size()));
    for (const Group& part : registration.groups) {
      names.kind = std::max(names.kind, static_cast<int>(part.device.size()));
    }
  }
  names.rack = std::min(names.rack, rack_columns_max);
  names.name = std::clamp(names.name, 4, name_columns_max);
  names.kind = std::min(names.kind, name_columns_max);
  names.count = static_cast<int>(std::to_string(most).size());
  return names;
}

/// A map while it is laid out.
struct Plan {
  const Model& model;
  const HeatOrder& order;
  Names names;
  HeatMap map;
};

void choose_labels(Plan& plan, int details) {
  const bool hosts = by_hosts(plan.order);
  plan.map.name_columns = plan.names.name;
  plan.map.rack_columns = hosts && details >= 1 ? plan.names.rack : 0;
  plan.map.kind_columns = hosts && details >= 2 ? plan.names.kind : 0;
  plan.map.count_columns = !hosts && details >= 1 ? plan.names.count : 0;
  plan.map.mean_columns = !hosts && details >= 2 ? mean_columns : 0;
}

int host_label_columns(const HeatMap& map) {
  int columns = 0;
  for (const int part : {map.rack_columns, map.name_columns, map.kind_columns, map.count_columns,
                         map.mean_columns}) {
    if (part > 0) columns += part + 1;
  }
  return columns;
}

bool separated(const Model& model, DeviceTable::Row before, DeviceTable::Row row) {
  return model.devices().group(before) != model.devices().group(row);
}

/// Blanks between the groups of devices of one host.
int blanks_in(const Model& model, const HeatOrder& order, const HeatGroup& group) {
  if (!by_hosts(order)) return 0;
  const auto rows = order.rows_of(group);
  int blanks = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) blanks += separated(model, rows[i - 1], rows[i]);
  return blanks;
}

/// The content of a line.
struct Line {
  int cells = 0, columns = 0;
};

Line widest_line(const Plan& plan) {
  Line widest;
  for (const HeatGroup& group : plan.order.groups) {
    const auto cells = static_cast<int>((group.count + plan.map.per_cell - 1) / plan.map.per_cell);
    widest.cells = std::max(widest.cells, cells);
    widest.columns = std::max(
        widest.columns, cells * plan.map.cell_columns + blanks_in(plan.model, plan.order, group));
  }
  return widest;
}

/// An arrangement of blocks.
struct Blocks {
  int beside = 1;   // columns of blocks
  int columns = 0;  // width of each
  int line_cells = 1;
  int below = 0;  // rows of each
  int gap = wide_gap;
};

int lines_of(const Plan& plan, const Blocks& blocks, const HeatGroup& group) {
  const auto cells = static_cast<int>((group.count + plan.map.per_cell - 1) / plan.map.per_cell);
  return std::max(1, (cells + blocks.line_cells - 1) / blocks.line_cells);
}

/// The number of columns of blocks if each has `rows` rows.
int columns_filled(const Plan& plan, const Blocks& blocks, int rows) {
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

/// The fewest rows on which the blocks fit.
int fewest_rows(const Plan& plan, const Blocks& blocks) {
  int all = 0, tallest = 1;
  for (const HeatGroup& group : plan.order.groups) {
    const int lines = lines_of(plan, blocks, group);
    all += lines;
    tallest = std::max(tallest, lines);
  }
  int rows = std::max(tallest, (all + blocks.beside - 1) / blocks.beside);
  while (columns_filled(plan, blocks, rows) > blocks.beside) ++rows;
  return rows;
}

/// All arrangements of the blocks of a format on `columns`, fewest columns of blocks first, so that
/// names and sums stay together. If `below` exceeds rows_max, it may be just rows_max + 1: counting
/// the rows of thousands of groups takes long.
std::vector<Blocks> arrangements(Plan& plan, const MapFormat& format, int columns, int rows_max) {
  std::vector<Blocks> all;
  plan.map.cell_columns = format.cell;
  choose_labels(plan, format.details);
  const Line widest = widest_line(plan);
  const int label = host_label_columns(plan.map);
  const bool hosts = by_hosts(plan.order);
  for (int beside = 1; beside <= static_cast<int>(plan.order.groups.size()); ++beside) {
    const int room = (columns - (beside - 1) * format.gap) / beside - label;
    if (room < 0) break;
    Blocks blocks{beside, label + widest.columns, widest.cells, 0, format.gap};
    if (room < widest.columns) {
      blocks.line_cells = room / plan.map.cell_columns;
      blocks.columns = label + blocks.line_cells * plan.map.cell_columns;
      if (hosts || blocks.line_cells < std::min(widest.cells, line_cells_least)) break;
    }
    blocks.line_cells = std::max(1, blocks.line_cells);
    // A group takes at least a row.
    const bool too_many = static_cast<int>(plan.order.groups.size()) > beside * rows_max;
    blocks.below = too_many ? rows_max + 1 : fewest_rows(plan, blocks);
    all.push_back(blocks);
  }
  return all;
}

/// The next number of devices per cell to try; the step grows, which limits the number of tries.
std::uint32_t next_sharing(std::uint32_t per_cell) { return per_cell + per_cell / 8 + 1; }

std::uint32_t cells_needed(const HeatOrder& order, std::uint32_t per_cell, bool apart) {
  if (!apart) return (static_cast<std::uint32_t>(order.rows.size()) + per_cell - 1) / per_cell;
  std::uint32_t cells = 0;
  for (const HeatGroup& group : order.groups) cells += (group.count + per_cell - 1) / per_cell;
  return cells;
}

void place_blocks(Plan& plan, const Blocks& blocks, int columns) {
  const int label = host_label_columns(plan.map);
  int left = 0, row = 0;
  const std::string* rack = nullptr;
  for (std::uint32_t g = 0; g < plan.order.groups.size(); ++g) {
    const HeatGroup& group = plan.order.groups[g];
    const int lines = lines_of(plan, blocks, group);
    if (row + lines > blocks.below) {
      left += blocks.columns + blocks.gap;
      row = 0;
    }
    const std::string* const its =
        by_hosts(plan.order) ? &plan.model.hosts()[group.host].reported.registration.rack : nullptr;
    const bool new_rack = its != nullptr && (row == 0 || rack == nullptr || *rack != *its);
    rack = its;
    plan.map.labels.push_back({left, row, g, new_rack});
    const auto rows = plan.order.rows_of(group);
    int blanks = 0, cell = 0;
    for (std::uint32_t i = 0; i < group.count; i += plan.map.per_cell, ++cell) {
      if (by_hosts(plan.order) && i > 0) blanks += separated(plan.model, rows[i - 1], rows[i]);
      plan.map.cells.push_back(
          {left + label + cell % blocks.line_cells * plan.map.cell_columns + blanks,
           row + cell / blocks.line_cells, group.first + i,
           std::min(plan.map.per_cell, group.count - i), rows[i]});
    }
    row += lines;
  }
  const bool alone = by_hosts(plan.order) && blocks.beside == 1 &&
                     blocks.columns + wide_gap + host_sums_columns <= columns;
  plan.map.sums_column = alone ? blocks.columns + wide_gap : 0;
}

/// Places the first format whose blocks fit with the current number of devices per cell.
bool place_first_fit(Plan& plan, int columns, int rows) {
  if (plan.order.groups.empty() || rows <= 0) return false;
  for (const MapFormat& format : formats_of(plan.order)) {
    if (plan.map.per_cell > 1 && format.cell > 1) continue;
    for (const Blocks& blocks : arrangements(plan, format, columns, rows)) {
      if (blocks.below > rows) continue;
      place_blocks(plan, blocks, columns);
      return true;
    }
  }
  return false;
}

/// Columns for the names beside flowing cells. A label takes its columns in every row, so a screen
/// narrower than three labels has none.
int flow_label(const Names& names, int columns) {
  return columns >= 3 * (names.name + 1) ? names.name + 1 : 0;
}

void place_flow(Plan& plan, int columns, int rows) {
  const int left = flow_label(plan.names, columns);
  const int wide = columns - left;
  if (wide <= 0 || rows <= 0 || plan.order.rows.empty()) return;
  choose_labels(plan, 0);
  plan.map.name_columns = std::max(0, left - 1);
  plan.map.cell_columns = 1;
  const auto room = static_cast<std::uint32_t>(wide) * static_cast<std::uint32_t>(rows);
  const auto devices = static_cast<std::uint32_t>(plan.order.rows.size());
  // Hosts may share a cell, as otherwise many would use only part of one; other groups do not, as
  // long as each has room for its own cells.
  const bool apart = !by_hosts(plan.order) && plan.order.groups.size() <= room;
  plan.map.per_cell = std::max(1u, (devices + room - 1) / room);
  while (cells_needed(plan.order, plan.map.per_cell, apart) > room) {
    plan.map.per_cell = next_sharing(plan.map.per_cell);
  }
  std::uint32_t group = 0;
  for (std::uint32_t first = 0, i = 0; first < devices; ++i) {
    const auto group_end = [&] {
      return plan.order.groups[group].first + plan.order.groups[group].count;
    };
    while (first >= group_end()) ++group;
    const std::uint32_t end = apart ? group_end() : devices;
    const int row = static_cast<int>(i) / wide;
    const int column = static_cast<int>(i) % wide;
    if (column == 0 && left > 0) plan.map.labels.push_back({0, row, group, false});
    const std::uint32_t count = std::min(plan.map.per_cell, end - first);
    plan.map.cells.push_back({left + column, row, first, count, plan.order.rows[first]});
    first += count;
  }
}

/// The fewest rows of a format; 0 if its blocks are too wide. Any value above rows_max means just
/// that.
int fewest_rows(Plan& plan, const MapFormat& format, int columns, int rows_max) {
  int rows = 0;
  for (const Blocks& blocks : arrangements(plan, format, columns, rows_max)) {
    rows = rows == 0 ? blocks.below : std::min(rows, blocks.below);
  }
  return rows;
}

/// One device per cell if that fits, else as few as possible.
void place(Plan& plan, int columns, int rows) {
  if (columns <= 0 || rows <= 0 || place_first_fit(plan, columns, rows)) return;
  const auto room = static_cast<std::uint32_t>(columns - flow_label(plan.names, columns)) *
                    static_cast<std::uint32_t>(rows);
  const auto devices = static_cast<std::uint32_t>(plan.order.rows.size());
  if (!by_hosts(plan.order) && devices > room) {
    const std::uint32_t fewest = (devices + room - 1) / room;
    for (std::uint32_t some = fewest; some <= 2 * fewest; some = next_sharing(some)) {
      plan.map.per_cell = some;
      if (place_first_fit(plan, columns, rows)) return;
    }
  }
  place_flow(plan, columns, rows);
}

}  // namespace

HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns, int rows_max) {
  Plan plan{model, order, longest_names(model, order), {}};
  HeatRows rows;
  rows.least = fewest_rows(plan, formats_of(order).back(), columns, rows_max);
  if (rows.least == 0 || rows.least > rows_max) {
    const auto wide =
        static_cast<std::size_t>(std::max(1, columns - flow_label(plan.names, columns)));
    const std::size_t flowing = (order.rows.size() + wide - 1) / wide;
    rows.least =
        static_cast<int>(std::min(flowing, static_cast<std::size_t>(std::max(0, rows_max))));
  }
  rows.wanted = static_cast<int>(std::min<std::size_t>(order.groups.size(), wanted_rows_max));
  // A few blocks are placed below each other rather than beside each other.
  const int limit = std::max(rows_max, blocks_below_max);
  if (const std::vector<Blocks> all = arrangements(plan, readable, columns, limit); !all.empty()) {
    const int below = all.front().below;
    rows.wanted = below <= blocks_below_max
                      ? below
                      : std::max(blocks_below_max, fewest_rows(plan, readable, columns, limit));
  }
  rows.wanted = std::max(rows.wanted, rows.least);
  return rows;
}

HeatMap lay_out_heat_map(const Model& model, HeatOrder order, int columns, int rows) {
  Plan plan{model, order, longest_names(model, order), {}};
  place(plan, columns, rows);
  plan.map.order = std::move(order);
  return std::move(plan.map);
}

std::size_t cell_of(const HeatMap& map, std::uint32_t place) {
  const auto after = std::upper_bound(
      map.cells.begin(), map.cells.end(), place,
      [](std::uint32_t wanted, const HeatCell& cell) { return wanted < cell.first; });
  if (after == map.cells.begin()) return map.cells.size();
  const auto cell = std::prev(after);
  if (place >= cell->first + cell->count) return map.cells.size();
  return static_cast<std::size_t>(cell - map.cells.begin());
}

std::size_t neighbour(const HeatMap& map, std::size_t cell, int columns, int rows) {
  if (cell >= map.cells.size()) return map.cells.empty() ? cell : 0;
  if (columns != 0) {
    // Left and right follow the order of the map across the ends of rows.
    if (columns < 0) return cell == 0 ? cell : cell - 1;
    return std::min(cell + 1, map.cells.size() - 1);
  }
  const HeatCell& from = map.cells[cell];
  std::size_t best = cell;
  int best_cost = -1;
  for (std::size_t i = 0; i < map.cells.size(); ++i) {
    const int down = (map.cells[i].row - from.row) * (rows > 0 ? 1 : -1);
    if (down <= 0) continue;
    const int cost = down * 1'000 + std::abs(map.cells[i].column - from.column);
    if (best_cost < 0 || cost < best_cost) {
      best = i;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace drover::tui
