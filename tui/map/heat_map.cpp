#include "tui/map/heat_map.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tui/map/map_plan.h"

namespace drover::tui {
namespace {

constexpr int name_columns_max = 16;
constexpr int rack_columns_max = 10;
constexpr int mean_columns = 5;  // "100%", "12.3s"

int blanks_in(const MapPlan& plan, const HeatGroup& group) {
  const auto rows = plan.order.rows_of(group);
  int blanks = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    blanks += plan.separated(rows[i - 1], rows[i]) ? 1 : 0;
  }
  return blanks;
}

/// The rows of a format with as few columns of blocks as fit; 0 if its blocks are too wide, or need
/// more than rows_max.
int fitting_rows(MapPlan& plan, const MapFormat& format, int columns, int rows_max) {
  for (const Blocks& blocks : arrangements(plan, format, columns, rows_max)) {
    if (blocks.below <= rows_max) return blocks.below;
  }
  return 0;
}

/// The fewest rows of a format, with many columns of blocks; 0 as above.
int least_rows(MapPlan& plan, const MapFormat& format, int columns, int rows_max) {
  int least = 0;
  for (const Blocks& blocks : arrangements(plan, format, columns, rows_max)) {
    if (blocks.below > rows_max) continue;
    least = least == 0 ? blocks.below : std::min(least, blocks.below);
  }
  return least;
}

/// Blocks of which each has its label, if for that at most twice as many devices share a cell as
/// fill the screen.
bool place_shared_blocks(MapPlan& plan, int columns, int rows) {
  const auto devices = static_cast<std::uint32_t>(plan.order.rows.size());
  const auto room = static_cast<std::uint32_t>(columns) * static_cast<std::uint32_t>(rows);
  const std::uint32_t fewest = (devices + room - 1) / room;
  for (std::uint32_t some = std::max(2u, fewest); some <= 2 * fewest; some = next_sharing(some)) {
    plan.map.per_cell = some;
    if (place_first_fit(plan, columns, rows)) return true;
  }
  plan.map.per_cell = 1;
  return false;
}

/// One device per cell if that fits, else as few as possible.
void place(MapPlan& plan, int columns, int rows) {
  if (columns <= 0 || rows <= 0 || place_first_fit(plan, columns, rows)) return;
  const int packed = packed_rows(plan, columns);
  const bool fits = packed > 0 && packed <= rows;
  if (!fits && place_shared_blocks(plan, columns, rows)) return;
  place_packed(plan, columns, rows);
}

}  // namespace

MapPlan::MapPlan(const Model& shown, const HeatOrder& devices) : model(shown), order(devices) {
  for (const HeatGroup& group : order.groups) {
    names.name = std::max(names.name, static_cast<int>(group.name.size()));
    largest = std::max(largest, group.count);
    if (!by_hosts()) continue;
    blanks = std::max(blanks, blanks_in(*this, group));
    const Register& registration = model.hosts()[group.host].reported.registration;
    names.rack = std::max(names.rack, static_cast<int>(registration.rack.size()));
    for (const Group& part : registration.groups) {
      names.kind = std::max(names.kind, static_cast<int>(part.device.size()));
    }
  }
  names.rack = std::min(names.rack, rack_columns_max);
  names.name = std::clamp(names.name, 4, name_columns_max);
  names.kind = std::min(names.kind, name_columns_max);
  names.count = static_cast<int>(std::to_string(largest).size());
}

void MapPlan::choose_labels(int details) {
  const bool hosts = by_hosts();
  map.name_columns = names.name;
  map.rack_columns = hosts && details >= 1 ? names.rack : 0;
  map.kind_columns = hosts && details >= 2 ? names.kind : 0;
  map.count_columns = !hosts && details >= 1 ? names.count : 0;
  map.mean_columns = !hosts && details >= 2 ? mean_columns : 0;
}

int map_label_columns(const HeatMap& map) {
  int columns = 0;
  for (const int part : {map.rack_columns, map.name_columns, map.kind_columns, map.count_columns,
                         map.mean_columns}) {
    if (part > 0) columns += part + 1;
  }
  return columns;
}

HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns,
                       const HeatRowLimits& limits) {
  MapPlan plan(model, order);
  HeatRows rows;
  const int most = std::max(0, limits.most);
  rows.least = least_rows(plan, map_formats(plan.by_hosts()).back(), columns, most);
  if (rows.least == 0) {
    MapPlan dense(model, order);
    place(dense, columns, most);
    rows.least = std::min(dense.map.rows, most);
  }
  for (const MapFormat& format : map_formats(plan.by_hosts())) {
    const int limit = format.lines > 1 ? limits.tall : format.least > 1 ? limits.readable : most;
    rows.wanted = fitting_rows(plan, format, columns, limit);
    if (rows.wanted > 0) break;
  }
  rows.wanted = std::max(rows.wanted, rows.least);
  return rows;
}

HeatMap lay_out_heat_map(const Model& model, HeatOrder order, int columns, int rows) {
  MapPlan plan(model, order);
  place(plan, columns, rows);
  HeatMap map = std::move(plan.map);
  map.order = std::move(order);
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

std::uint32_t groups_from(const HeatMap& map, int row) {
  const auto groups = static_cast<std::uint32_t>(map.order.groups.size());
  for (const HeatCell& cell : map.cells) {
    if (cell.row < row) continue;
    for (std::uint32_t g = 0; g < groups; ++g) {
      if (map.order.groups[g].first >= cell.first) return groups - g;
    }
  }
  return 0;
}

}  // namespace drover::tui
