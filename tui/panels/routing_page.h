// What stands above the live decisions: where work went instead of where it was wanted and how fast
// it does now, what that cost, and how the pools are.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

struct RoutingPage {
  Rect flows, costs, pools;
  int rows = 0;
};
RoutingPage lay_out_routing_page(const Model& model, int columns);
/// On the whole of the page.
void draw_routing_page(const Scene& scene, const Pen& pen);

}  // namespace drover::tui
