// What the fleet draws and costs now, what it did so far, and what a unit of work came to.
#pragma once

#include <string>

#include "tui/state/scene.h"

namespace drover::tui {

inline constexpr int cost_panel_rows = 15;
/// `note`: of the heading. The first lines are of the devices that the filter leaves; what the
/// router sums up is of all, under a heading of its own.
void draw_costs(const Scene& scene, Pen pen, const Totals& totals, const std::string& note);

}  // namespace drover::tui
