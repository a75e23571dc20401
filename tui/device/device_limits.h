// What a device can do at most, as its spec tells it: a short panel of facts.
#pragma once

#include <string>

#include "tui/canvas/pen.h"
#include "tui/model/figures.h"

namespace drover::tui {

/// "80.0G", "~220W", "N/A". `limit` counts from 0; `cap_w`: in force, NaN when not told.
std::string limit_text(int limit, const SpecFacts& facts, double cap_w);

/// Its heading included, on so many columns.
int limits_rows(int columns);
/// Where a limit stands in the panel, from the panel's corner.
Rect limit_place(int limit, int columns);
void draw_limits(Pen pen, const SpecFacts& facts, double cap_w);

}  // namespace drover::tui
