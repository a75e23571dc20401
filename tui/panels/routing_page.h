// The page above the list of decisions: placements from preferred to actual pools and their rates,
// the cost of fallbacks, and the pools.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

struct RoutingPage {
  Rect flows, costs, pools;
  int rows = 0;
};
RoutingPage lay_out_routing_page(const Model& model, int columns);
/// `region`: the whole page.
void draw_routing_page(const FrameContext& frame, const DrawRegion& region);

}  // namespace drover::tui
