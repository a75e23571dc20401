// Placements drawn as a flow: preferred pools at the left, actual pools at the right, and between
// them a band for each fallback reason, as thick as its placements a minute.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fleet/reason.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// Placements of jobs that prefer one pool in another (or the same), a minute.
struct PoolFlow {
  std::string wanted, got;
  std::optional<Reason> reason;  // of the fallback; none: it is the preferred pool
  double per_min = 0;
};

/// A pool at one side. Tops and thicknesses are in rows, from the top of the drawing.
struct FlowBox {
  std::string pool;
  double per_min = 0;
  double top = 0, thickness = 0;
  int row() const { return static_cast<int>(top); }  // of its name
};

struct FlowBand {
  PoolFlow flow;
  double left_top = 0, right_top = 0, thickness = 0;
};

struct FlowDiagram {
  std::vector<FlowBox> left, right;
  std::vector<FlowBand> bands;  // those of fallbacks last
};

/// Places the flows whose rate is above zero. One scale holds for both sides; every pool has a row
/// of its own for its name, with a blank row below. Pools are in the order of `pools`; if there are
/// more than fit, those with the fewest placements are one, "others".
FlowDiagram lay_out_flows(std::vector<PoolFlow> flows, std::span<const std::string> pools,
                          int rows);

/// Rows at which every pool has room, within the limits of the drawing.
int flow_diagram_rows(std::size_t pools, int rows_most);
inline constexpr int flow_diagram_rows_least = 7;
/// Columns from which on there is room for names, rates and bands.
inline constexpr int flow_diagram_columns_least = 48;

void draw_flow_diagram(DrawRegion region, const FlowDiagram& diagram);

/// "5.9", "120", "1.2k": in at most five columns; N/A for NaN.
std::string rate_text(double per_min);

}  // namespace drover::tui
