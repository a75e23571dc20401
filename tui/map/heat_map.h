// The position of each device on the heat map. Every device of the order is on it, at any size: as
// a cell with its number if there is room, else as a smaller cell, else as part of a cell that
// shows the hottest of several devices.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"
#include "tui/canvas/draw_region.h"
#include "tui/map/heat_order.h"
#include "tui/model/model.h"

namespace drover::tui {

struct HeatCell {
  int column = 0, row = 0;  // within the map's rectangle
  std::uint32_t first = 0;  // in HeatOrder::rows
  std::uint32_t count = 1;
  DeviceTable::Row shown = 0;  // the hottest of these; until that is determined, the first
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
  // Widths of the parts of a label, in order; 0: not shown. Hosts have racks and kinds, other
  // groups have counts and means.
  int rack_columns = 0, name_columns = 0, kind_columns = 0;
  int count_columns = 0, mean_columns = 0;
  std::uint32_t per_cell = 1;
  int sums_column = 0;  // of each host's sums; 0: no room
  std::vector<HeatCell> cells;
  std::vector<HeatLabel> labels;
};

inline constexpr int host_sums_columns = 24;

/// Rows for the map at a given width.
struct HeatRows {
  int least = 0;   // for a cell per device, at most `rows_max`
  int wanted = 0;  // for readable cells
};
HeatRows heat_map_rows(const Model& model, const HeatOrder& order, int columns, int rows_max);

HeatMap lay_out_heat_map(const Model& model, HeatOrder order, int columns, int rows);

/// The cell that contains an index of HeatOrder::rows; cells.size() if none does.
std::size_t cell_of(const HeatMap& map, std::uint32_t place);
/// The cell at a step of columns or rows from `cell`; `cell` itself at the edge.
std::size_t neighbour(const HeatMap& map, std::size_t cell, int columns, int rows);

/// A cell changes its level when its value is outside the level by this share of a level's width.
inline constexpr double level_hysteresis = 0.25;

/// The level of the heat scale that each cell of the map shows. A value that fluctuates around the
/// threshold between two levels keeps its level, which saves repaints on a slow link.
class HeatLevels {
 public:
  /// What the cells show. When it changes, previous levels are dropped.
  struct Subject {
    std::uint64_t structure = 0;  // of the model
    int metric = 0;
    int grouping = 0;
    std::uint32_t per_cell = 0;
    bool operator==(const Subject&) const = default;
  };
  void begin(const Subject& subject, std::size_t keys) {
    if (subject_ == subject && levels_.size() == keys) return;
    subject_ = subject;
    levels_.assign(keys, -1);
  }
  /// Drops previous levels.
  void forget() { levels_.clear(); }
  /// The level of a share of the scale, 0 to heat_level_count - 1; -1 for NaN. Repeating the same
  /// share never changes it. REQUIRES key < keys.
  int settle(std::size_t key, double share) {
    DROVER_REQUIRE(key < levels_.size());
    std::int8_t& level = levels_[key];
    if (std::isnan(share)) return level = -1;
    const double place = share * heat_level_count;
    const bool stays =
        level >= 0 && place >= level - level_hysteresis && place < level + 1 + level_hysteresis;
    if (!stays) level = static_cast<std::int8_t>(heat_level(share));
    return level;
  }

 private:
  Subject subject_;
  std::vector<std::int8_t> levels_;  // by key; -1: none
};

}  // namespace drover::tui
