// Where each device of the fleet lies on the heat map. Every device is on it, at any size: as a
// cell with its number while there is room, then as a smaller one, at last as part of a cell that
// shows the hottest of several.
#pragma once

#include <cstdint>
#include <vector>

#include "tui/canvas.h"
#include "tui/model.h"

namespace drover::tui {

struct HeatCell {
  int column = 0, row = 0;  // within the map's rectangle
  std::uint32_t first = 0;  // in Model::device_order()
  std::uint32_t count = 1;
};

struct HeatLabel {
  int column = 0, row = 0;
  std::uint32_t host = 0;
  bool shows_rack = false;  // the first host of its rack in this column of hosts
};

struct HeatMap {
  int cell_columns = 0;  // width of one cell
  int rack_columns = 0;  // width of the rack's name, 0: not shown
  int host_columns = 0;  // width of the host's name
  int kind_columns = 0;  // width of the device kind's name, 0: not shown
  std::uint32_t per_cell = 1;
  int rows = 0;         // used
  int sums_column = 0;  // where each host's sums may stand; 0: no room
  std::vector<HeatCell> cells;
  std::vector<HeatLabel> labels;
};

inline constexpr int host_sums_columns = 24;

/// Rows that a readable map of the fleet wants on so many columns.
int heat_map_rows(const Model& model, int columns);

HeatMap lay_out_heat_map(const Model& model, int columns, int rows);

/// The cell that holds a place in device_order(); cells.size() when none does.
std::size_t cell_of(const HeatMap& map, std::uint32_t place);
/// The cell one reaches from `cell` by a step of columns or rows; itself at the edge.
std::size_t neighbour(const HeatMap& map, std::size_t cell, int columns, int rows);

}  // namespace drover::tui
