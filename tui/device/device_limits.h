// The panel of a device's limits, from its spec.
#pragma once

#include <string>

#include "tui/canvas/draw_region.h"
#include "tui/model/metric_formulas.h"

namespace drover::tui {

/// "80.0G", "~220W", "N/A". `limit` counts from 0. `cap_w`: the current power cap, NaN if unknown.
std::string limit_text(int limit, const SpecFacts& facts, double cap_w);

/// Rows of the panel at this width, with the heading.
int limits_rows(int columns);
/// The rectangle of a limit, relative to the panel's corner.
Rect limit_place(int limit, int columns);
void draw_limits(DrawRegion region, const SpecFacts& facts, double cap_w);

}  // namespace drover::tui
