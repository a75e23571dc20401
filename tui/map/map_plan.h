// A map while it is laid out, and the two ways to do so: as blocks, or as rows packed with groups.
#pragma once

#include <cstdint>
#include <vector>

#include "tui/map/cell_format.h"
#include "tui/map/heat_map.h"

namespace drover::tui {

/// Columns of the longest names.
struct NameColumns {
  int rack = 0, name = 0, kind = 0, count = 0;
};

struct MapPlan {
  /// `order` must outlive the plan.
  MapPlan(const Model& model, const HeatOrder& order);

  bool by_hosts() const { return order.grouping == Grouping::host; }
  /// Cells of a group, with the map's number of devices per cell.
  int cells_of(const HeatGroup& group) const {
    return static_cast<int>((group.count + map.per_cell - 1) / map.per_cell);
  }
  /// Whether a blank separates two devices of a host because they are of different groups.
  bool separated(DeviceTable::Row before, DeviceTable::Row row) const {
    return model.devices().group(before) != model.devices().group(row);
  }
  LineContent widest_line() const {
    return {static_cast<int>((largest + map.per_cell - 1) / map.per_cell), blanks, by_hosts()};
  }
  void choose_labels(int details);

  const Model& model;
  const HeatOrder& order;
  NameColumns names;
  std::uint32_t largest = 0;  // devices of the largest group
  int blanks = 0;             // at most, between the devices of a host
  HeatMap map;
};

/// The next number of devices per cell to try; the step grows, which limits the number of tries.
inline std::uint32_t next_sharing(std::uint32_t per_cell) { return per_cell + per_cell / 8 + 1; }

/// An arrangement of blocks.
struct Blocks {
  int beside = 1;   // columns of blocks
  int columns = 0;  // width of each
  int line_cells = 1;
  CellSize cell;
  int below = 0;  // rows of each
  int gap = 3;
};
/// All arrangements of the blocks of a format on `columns`, fewest columns of blocks first, so that
/// names and sums stay together. If `below` exceeds rows_max, it may be just rows_max + 1: counting
/// the rows of thousands of groups takes long. Chooses the plan's labels.
std::vector<Blocks> arrangements(MapPlan& plan, const MapFormat& format, int columns, int rows_max);
/// Places the first format whose blocks fit with the current number of devices per cell.
bool place_first_fit(MapPlan& plan, int columns, int rows);

/// Rows packed with one sign per device.
int packed_rows(MapPlan& plan, int columns);
/// Packs rows with as few devices per cell as fit into `rows`. If not even a cell per group fits,
/// there are more rows.
void place_packed(MapPlan& plan, int columns, int rows);

}  // namespace drover::tui
