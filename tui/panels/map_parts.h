// The parts of the heat map: a cell, which is a sign, or a number, further readings and a curve
// (map_cells.cpp); and the heading (map_heading.cpp).
#pragma once

#include <cstdint>

#include "tui/canvas/draw_region.h"
#include "tui/map/heat_map.h"
#include "tui/map/map_metric.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// What signs on the map mean, one bit each: the heading explains those that were drawn.
enum MapSign : std::uint8_t {
  sign_no_data = 1,
  sign_lost = 2,
  sign_unusable = 4,
  sign_fault = 8,
  sign_drained = 16,
  sign_assumed = 32,
  sign_cut = 64
};

/// The metric of the curves: the map's own, or the load.
GaugeMetric curve_metric(MapMetric metric);
/// Columns of a cell's number, readings and curve: without the blank after them.
int content_columns(const CellSize& cell);

/// Draws the cell with its first line at `row` and returns the signs that it shows.
unsigned draw_map_cell(const FrameContext& frame, DrawRegion& region, const HeatMap& map,
                       MapMetric metric, const HeatCell& cell, int row, bool selected);

/// The rows of the map that are on the screen.
struct SeenRows {
  int top = 0;
  int count = 0;
};

/// What the map shows, its scale, and the meaning of the signs on it. `signs`: those that were
/// drawn, bits of MapSign.
void draw_map_heading(const FrameContext& frame, DrawRegion region, const HeatMap& map,
                      MapMetric metric, unsigned signs, const SeenRows& seen);

}  // namespace drover::tui
