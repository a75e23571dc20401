// The pools of the policy as the router reports them, and the site below them: health, power
// against caps, cost, waiting work.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Heading, column titles, a line per pool, and a line of the site.
int pool_panel_rows(const Model& model);
void draw_pools(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
