// Hosts lie in blocks, "rack host kind cells", several blocks beside each other when they do not
// fit below each other, groups of a host parted by a blank. When even the narrowest blocks do not
// fit, devices flow cell by cell in their order, with the row's first host as label, and as many
// devices share a cell as the room demands.
#include "tui/heat_map.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace drover::tui {
namespace {

constexpr int block_gap = 3;
constexpr int name_columns_max = 16;
constexpr int rack_columns_max = 10;
constexpr int hosts_below_max = 12;  // so many hosts stand below each other before a second column
constexpr int readable_cell_columns = 4;

struct Names {
  int rack = 0, host = 0, kind = 0;
};

Names longest_names(const Model& model) {
  Names names;
  for (const HostRow& host : model.hosts()) {
    names.rack = std::max(names.rack, static_cast<int>(host.said.hello.rack.size()));
    names.host = std::max(names.host, static_cast<int>(host.said.hello.host.size()));
    for (const Group& group : host.said.hello.groups) {
      names.kind = std::max(names.kind, static_cast<int>(group.device.size()));
    }
  }
  names.rack = std::min(names.rack, rack_columns_max);
  names.host = std::clamp(names.host, 4, name_columns_max);
  names.kind = std::min(names.kind, name_columns_max);
  return names;
}

/// Cells and the blanks between groups of the host that needs most.
int widest_host(const Model& model, int cell_columns) {
  int widest = 0;
  for (const HostRow& host : model.hosts()) {
    const int gaps = std::max(0, static_cast<int>(host.said.hello.groups.size()) - 1);
    widest = std::max(widest, static_cast<int>(host.count) * cell_columns + gaps);
  }
  return widest;
}

int label_columns(const HeatMap& map) {
  int columns = map.host_columns + 1;
  if (map.rack_columns > 0) columns += map.rack_columns + 1;
  if (map.kind_columns > 0) columns += map.kind_columns + 1;
  return columns;
}

/// Fills `map` with blocks if they fit.
bool place_blocks(const Model& model, HeatMap& map, int columns, int rows) {
  const auto& order = model.host_order();
  const int label = label_columns(map);
  const int block = label + widest_host(model, map.cell_columns);
  if (block > columns || rows <= 0 || order.empty()) return false;
  const int beside = 1 + (columns - block) / (block + block_gap);
  const int hosts = static_cast<int>(order.size());
  // As few columns of hosts as the rows allow: names and sums stay together.
  const int needed = (hosts + rows - 1) / rows;
  if (needed > beside) return false;
  const int below = (hosts + needed - 1) / needed;
  std::uint32_t place = 0;
  for (int i = 0; i < hosts; ++i) {
    const HostRow& host = model.hosts()[order[static_cast<std::size_t>(i)]];
    const int left = (i / below) * (block + block_gap);
    const int row = i % below;
    const bool new_rack =
        row == 0 || model.hosts()[order[static_cast<std::size_t>(i - 1)]].said.hello.rack !=
                        host.said.hello.rack;
    map.labels.push_back({left, row, order[static_cast<std::size_t>(i)], new_rack});
    int column = left + label;
    for (DeviceTable::Row device = host.first; device < host.first + host.count; ++device) {
      if (device > host.first &&
          model.devices().group(device) != model.devices().group(device - 1)) {
        ++column;
      }
      map.cells.push_back({column, row, place++, 1});
      column += map.cell_columns;
    }
  }
  map.rows = below;
  const bool alone = below == hosts && block + block_gap + host_sums_columns <= columns;
  map.sums_column = alone ? block + block_gap : 0;
  return true;
}

void place_flow(const Model& model, HeatMap& map, int columns, int rows) {
  const auto& order = model.device_order();
  map.cell_columns = 1;
  map.rack_columns = 0;
  map.kind_columns = 0;
  // A label costs its columns in every row; a screen narrower than three labels does without.
  map.host_columns = columns >= 3 * (map.host_columns + 1) ? map.host_columns : 0;
  const int left = map.host_columns > 0 ? map.host_columns + 1 : 0;
  const int wide = columns - left;
  if (wide <= 0 || rows <= 0) return;
  const auto room = static_cast<std::uint32_t>(wide) * static_cast<std::uint32_t>(rows);
  const auto devices = static_cast<std::uint32_t>(order.size());
  map.per_cell = std::max(1u, (devices + room - 1) / room);
  for (std::uint32_t first = 0, i = 0; first < devices; first += map.per_cell, ++i) {
    const int row = static_cast<int>(i) / wide;
    const int column = static_cast<int>(i) % wide;
    if (column == 0 && map.host_columns > 0) {
      map.labels.push_back({0, row, model.devices().host(order[first]), false});
    }
    map.cells.push_back({left + column, row, first, std::min(map.per_cell, devices - first)});
    map.rows = row + 1;
  }
}

}  // namespace

int heat_map_rows(const Model& model, int columns) {
  const auto hosts = static_cast<int>(std::min<std::size_t>(model.hosts().size(), 1'000));
  if (hosts <= hosts_below_max) return hosts;
  const Names names = longest_names(model);
  HeatMap map;
  map.rack_columns = names.rack;
  map.host_columns = names.host;
  map.kind_columns = names.kind;
  const int block = label_columns(map) + widest_host(model, readable_cell_columns);
  if (block > columns) return hosts;
  const int beside = 1 + (columns - block) / (block + block_gap);
  return std::max(hosts_below_max, (hosts + beside - 1) / beside);
}

HeatMap lay_out_heat_map(const Model& model, int columns, int rows) {
  const Names names = longest_names(model);
  struct Try {
    int cell;
    bool rack, kind;
  };
  // From generous to narrow; a cell of five columns shows its number, one of two does so too.
  static constexpr Try tries[] = {{6, true, true},  {5, true, true},   {4, true, true},
                                  {3, true, true},  {4, true, false},  {3, true, false},
                                  {2, true, false}, {2, false, false}, {1, false, false}};
  for (const Try& attempt : tries) {
    HeatMap map;
    map.cell_columns = attempt.cell;
    map.rack_columns = attempt.rack ? names.rack : 0;
    map.host_columns = names.host;
    map.kind_columns = attempt.kind ? names.kind : 0;
    if (place_blocks(model, map, columns, rows)) return map;
  }
  HeatMap map;
  map.host_columns = names.host;
  place_flow(model, map, columns, rows);
  return map;
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
