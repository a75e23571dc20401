// Where each device lies on the heat map. Every device of the order is on it, at any size: as a
// cell with its number while there is room, then as a smaller one, at last as part of a cell that
// shows the hottest of several.
#pragma once

#include <cstdint>
#include <vector>

#include "tui/canvas/canvas.h"
#include "tui/map/heat_order.h"
#include "tui/model/model.h"

namespace drover::tui {

struct HeatCell {
  int column = 0, row = 0;  // within the map's rectangle
  std::uint32_t first = 0;  // in HeatOrder::rows
  std::uint32_t count = 1;
  DeviceTable::Row shown = 0;  // of these: the first, until somebody finds the hottest
  int level = -1;              // of the scale; -1: no data
};

struct HeatLabel {
  int column = 0, row = 0;
  std::uint32_t group = 0;  // in HeatOrder::groups
  bool shows_rack = false;  // the first host of its rack in this column of hosts
};

struct HeatMap {
  HeatOrder order;
  int cell_columns = 0;  // width of one cell
  // Widths of a label's parts, in their order; 0: not shown. Racks and kinds are those of hosts,
  // counts and means those of other groups.
  int rack_columns = 0, name_columns = 0, kind_columns = 0;
  int count_columns = 0, mean_columns = 0;
  std::uint32_t per_cell = 1;
  int sums_column = 0;  // where each host's sums may stand; 0: no room
  std::vector<HeatCell> cells;
  std::vector<HeatLabel> labels;
};

inline constexpr int host_sums_columns = 24;

/// Rows for the map on so many columns.
struct HeatRows {
  int least = 0;   // with a cell for each device; `most` when that is not enough
  int wanted = 0;  // so that it can be read
};
HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns, int most);

HeatMap lay_out_heat_map(const Model& model, HeatOrder order, int columns, int rows);

/// The cell that holds a place in HeatOrder::rows; cells.size() when none does.
std::size_t cell_of(const HeatMap& map, std::uint32_t place);
/// The cell one reaches from `cell` by a step of columns or rows; itself at the edge.
std::size_t neighbour(const HeatMap& map, std::size_t cell, int columns, int rows);

}  // namespace drover::tui
