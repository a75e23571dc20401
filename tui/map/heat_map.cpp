// Groups lie in blocks, a label and cells behind it, several blocks beside each other when they do
// not fit below each other. A host is one line, its groups of devices parted by a blank; of other
// groups the cells flow over as many lines as they need. When even the narrowest blocks do not fit,
// devices flow cell by cell in their order, with the row's first group as label, and as many
// devices share a cell as the room demands.
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
constexpr int blocks_below_max = 12;  // so many stand below each other before a second column
constexpr int wanted_rows_max = 1'000;
constexpr int line_cells_least = 4;  // blocks are not cut into narrower strips
constexpr int wide_gap = 3;          // between blocks

/// From generous to narrow; a cell of five columns shows its number, one of two does so too.
struct Look {
  int cell;
  int details;  // how many parts stand beside a label's name
  int gap = wide_gap;
};
constexpr Look host_looks[] = {{6, 2}, {5, 2}, {4, 2}, {3, 2}, {4, 1},
                               {3, 1}, {2, 1}, {2, 0}, {1, 0}, {1, 0, 1}};
constexpr Look group_looks[] = {{6, 2}, {5, 2}, {4, 2}, {3, 2},   {2, 2},
                                {1, 2}, {1, 1}, {1, 0}, {1, 0, 1}};

constexpr Look readable = {4, 2};

struct Names {
  int rack = 0, name = 0, kind = 0, count = 0;
};

bool by_hosts(const HeatOrder& order) { return order.grouping == Grouping::host; }

std::span<const Look> looks_of(const HeatOrder& order) {
  return by_hosts(order) ? std::span<const Look>(host_looks) : std::span<const Look>(group_looks);
}

Names longest_names(const Model& model, const HeatOrder& order) {
  Names names;
  std::uint32_t most = 0;
  for (const HeatGroup& group : order.groups) {
    names.name = std::max(names.name, static_cast<int>(group.name.size()));
    most = std::max(most, group.count);
    if (!by_hosts(order)) continue;
    const Hello& hello = model.hosts()[group.host].said.hello;
    names.rack = std::max(names.rack, static_cast<int>(hello.rack.size()));
    for (const Group& part : hello.groups) {
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

int label_columns(const HeatMap& map) {
  int columns = 0;
  for (const int part : {map.rack_columns, map.name_columns, map.kind_columns, map.count_columns,
                         map.mean_columns}) {
    if (part > 0) columns += part + 1;
  }
  return columns;
}

bool parts(const Model& model, DeviceTable::Row before, DeviceTable::Row row) {
  return model.devices().group(before) != model.devices().group(row);
}

/// Blanks between the groups of devices of one host.
int blanks_in(const Model& model, const HeatOrder& order, const HeatGroup& group) {
  if (!by_hosts(order)) return 0;
  const auto rows = order.rows_of(group);
  int blanks = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) blanks += parts(model, rows[i - 1], rows[i]);
  return blanks;
}

/// What lies in one line of the group that needs most of them.
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

/// How blocks may stand.
struct Blocks {
  int beside = 1;   // so many columns of blocks,
  int columns = 0;  // each so wide,
  int line_cells = 1;
  int below = 0;  // with so many rows
  int gap = wide_gap;
};

int lines_of(const Plan& plan, const Blocks& blocks, const HeatGroup& group) {
  const auto cells = static_cast<int>((group.count + plan.map.per_cell - 1) / plan.map.per_cell);
  return std::max(1, (cells + blocks.line_cells - 1) / blocks.line_cells);
}

/// Columns of blocks when each has so many rows.
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

/// The fewest rows on which the blocks have room.
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

/// Every way in which the blocks of a look may stand on so many columns, few beside each other
/// first: names and sums stay together. Those that want more than so many rows may tell just one
/// more: to count the rows of thousands of groups takes long.
std::vector<Blocks> ways(Plan& plan, const Look& look, int columns, int rows_most) {
  std::vector<Blocks> ways;
  plan.map.cell_columns = look.cell;
  choose_labels(plan, look.details);
  const Line widest = widest_line(plan);
  const int label = label_columns(plan.map);
  const bool hosts = by_hosts(plan.order);
  for (int beside = 1; beside <= static_cast<int>(plan.order.groups.size()); ++beside) {
    const int room = (columns - (beside - 1) * look.gap) / beside - label;
    if (room < 0) break;
    Blocks blocks{beside, label + widest.columns, widest.cells, 0, look.gap};
    if (room < widest.columns) {
      blocks.line_cells = room / plan.map.cell_columns;
      blocks.columns = label + blocks.line_cells * plan.map.cell_columns;
      if (hosts || blocks.line_cells < std::min(widest.cells, line_cells_least)) break;
    }
    blocks.line_cells = std::max(1, blocks.line_cells);
    // A group takes a row at least.
    const bool too_many = static_cast<int>(plan.order.groups.size()) > beside * rows_most;
    blocks.below = too_many ? rows_most + 1 : fewest_rows(plan, blocks);
    ways.push_back(blocks);
  }
  return ways;
}

/// More devices a cell, to try next: one more while they are few, and never too many tries.
std::uint32_t next_sharing(std::uint32_t per_cell) { return per_cell + per_cell / 8 + 1; }

std::uint32_t cells_needed(const HeatOrder& order, std::uint32_t per_cell, bool apart) {
  if (!apart) return (static_cast<std::uint32_t>(order.rows.size()) + per_cell - 1) / per_cell;
  std::uint32_t cells = 0;
  for (const HeatGroup& group : order.groups) cells += (group.count + per_cell - 1) / per_cell;
  return cells;
}

void place_blocks(Plan& plan, const Blocks& blocks, int columns) {
  const int label = label_columns(plan.map);
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
        by_hosts(plan.order) ? &plan.model.hosts()[group.host].said.hello.rack : nullptr;
    const bool new_rack = its != nullptr && (row == 0 || rack == nullptr || *rack != *its);
    rack = its;
    plan.map.labels.push_back({left, row, g, new_rack});
    const auto rows = plan.order.rows_of(group);
    int blanks = 0, cell = 0;
    for (std::uint32_t i = 0; i < group.count; i += plan.map.per_cell, ++cell) {
      if (by_hosts(plan.order) && i > 0) blanks += parts(plan.model, rows[i - 1], rows[i]);
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

/// The first look whose blocks fit, with so many devices a cell.
bool place_first_fit(Plan& plan, int columns, int rows) {
  if (plan.order.groups.empty() || rows <= 0) return false;
  for (const Look& look : looks_of(plan.order)) {
    if (plan.map.per_cell > 1 && look.cell > 1) continue;
    for (const Blocks& blocks : ways(plan, look, columns, rows)) {
      if (blocks.below > rows) continue;
      place_blocks(plan, blocks, columns);
      return true;
    }
  }
  return false;
}

/// Columns for the names beside flowing cells. A label costs its columns in every row; a screen
/// narrower than three labels does without.
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
  // Hosts may share a cell, or many would have a part of one; of other groups none does that has
  // room for one of its own.
  const bool apart = !by_hosts(plan.order) && plan.order.groups.size() <= room;
  plan.map.per_cell = std::max(1u, (devices + room - 1) / room);
  while (cells_needed(plan.order, plan.map.per_cell, apart) > room) {
    plan.map.per_cell = next_sharing(plan.map.per_cell);
  }
  std::uint32_t group = 0;
  for (std::uint32_t first = 0, i = 0; first < devices; ++i) {
    const auto behind = [&] {
      return plan.order.groups[group].first + plan.order.groups[group].count;
    };
    while (first >= behind()) ++group;
    const std::uint32_t end = apart ? behind() : devices;
    const int row = static_cast<int>(i) / wide;
    const int column = static_cast<int>(i) % wide;
    if (column == 0 && left > 0) plan.map.labels.push_back({0, row, group, false});
    const std::uint32_t count = std::min(plan.map.per_cell, end - first);
    plan.map.cells.push_back({left + column, row, first, count, plan.order.rows[first]});
    first += count;
  }
}

/// 0: the blocks of that look are too wide. Of those above `most` it tells just that.
int fewest_rows(Plan& plan, const Look& look, int columns, int most) {
  int rows = 0;
  for (const Blocks& blocks : ways(plan, look, columns, most)) {
    rows = rows == 0 ? blocks.below : std::min(rows, blocks.below);
  }
  return rows;
}

/// One device a cell while that fits, else as few as the room demands.
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

HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns, int most) {
  Plan plan{model, order, longest_names(model, order), {}};
  HeatRows rows;
  rows.least = fewest_rows(plan, looks_of(order).back(), columns, most);
  if (rows.least == 0 || rows.least > most) {
    const auto wide =
        static_cast<std::size_t>(std::max(1, columns - flow_label(plan.names, columns)));
    const std::size_t flowing = (order.rows.size() + wide - 1) / wide;
    rows.least = static_cast<int>(std::min(flowing, static_cast<std::size_t>(std::max(0, most))));
  }
  rows.wanted = static_cast<int>(std::min<std::size_t>(order.groups.size(), wanted_rows_max));
  // Rather below each other than beside, while they are few.
  const int told = std::max(most, blocks_below_max);
  if (const std::vector<Blocks> stand = ways(plan, readable, columns, told); !stand.empty()) {
    const int below = stand.front().below;
    rows.wanted = below <= blocks_below_max
                      ? below
                      : std::max(blocks_below_max, fewest_rows(plan, readable, columns, told));
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
    // Left and right follow the order of the fleet, over the ends of rows.
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
