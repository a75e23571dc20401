// Power and cost of the fleet now, in total so far, and per unit of work.
#pragma once

#include <string>

#include "tui/state/frame_context.h"

namespace drover::tui {

inline constexpr int cost_panel_rows = 15;
/// `note`: of the heading. The first lines cover the devices that match the filter. The router's
/// sums cover the whole fleet and have a heading of their own.
void draw_costs(const FrameContext& frame, DrawRegion region, const Totals& totals,
                const std::string& note);

}  // namespace drover::tui
