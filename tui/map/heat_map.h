// The position of each device on the heat map. Every device of the order is on it, at any size: as
// a cell with its number if there is room, else as a smaller cell, else as part of a cell that
// shows the hottest of several devices. Only a map of more groups than the screen has cells is
// longer than the screen, and scrolls.
#pragma once

#include <cstdint>
#include <vector>

#include "tui/canvas/heat_scale.h"
#include "tui/map/cell_format.h"
#include "tui/map/heat_order.h"
#include "tui/model/model.h"

namespace drover::tui {

struct HeatCell {
  int column = 0, row = 0;  // of its first line, on the whole map
  std::uint32_t first = 0;  // in HeatOrder::rows
  std::uint32_t count = 1;
  DeviceTable::Row shown = 0;  // the hottest of these; until that is determined, the first
  int level = -1;              // of the scale; -1: no data
  HeatShade shade = 0;         // the same in more steps; 0: no data
};

struct HeatLabel {
  int column = 0, row = 0;
  std::uint32_t group = 0;   // in HeatOrder::groups
  bool shows_rack = false;   // the first host of its rack in this column of hosts
  std::uint32_t within = 0;  // of the group, the index of the row's first device
};

struct HeatMap {
  HeatOrder order;
  CellSize cell;
  // Widths of the parts of a label, in order; 0: not shown. Hosts have racks and kinds, other
  // groups have counts and means.
  int rack_columns = 0, name_columns = 0, kind_columns = 0;
  int count_columns = 0, mean_columns = 0;
  std::uint32_t per_cell = 1;
  int sums_column = 0;  // of each host's sums; 0: no room
  bool packed = false;  // a row holds several groups, and its label names the first
  int rows = 0;         // of the whole map
  std::vector<HeatCell> cells;
  std::vector<HeatLabel> labels;
};

inline constexpr int host_sums_columns = 27;

/// The most rows for maps of three kinds.
struct HeatRowLimits {
  int tall = 0;      // cells of several lines
  int readable = 0;  // cells with numbers, or apart from each other
  int most = 0;
};
/// Rows for the map at a given width.
struct HeatRows {
  int least = 0;   // for a cell per device, at most HeatRowLimits::most
  int wanted = 0;  // for the largest cells that keep the limits
};
HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns,
                       const HeatRowLimits& limits);

HeatMap lay_out_heat_map(const Model& model, HeatOrder order, int columns, int rows);

/// Columns of a label with the blank after each part.
int map_label_columns(const HeatMap& map);

/// The cell that contains an index of HeatOrder::rows; cells.size() if none does.
std::size_t cell_of(const HeatMap& map, std::uint32_t place);
/// The cell at a step of columns or rows from `cell`; `cell` itself at the edge.
std::size_t neighbour(const HeatMap& map, std::size_t cell, int columns, int rows);
/// The groups with cells in rows from `row` on, and not before.
std::uint32_t groups_from(const HeatMap& map, int row);

}  // namespace drover::tui
