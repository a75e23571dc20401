// Spending against the policy's budget: now, over the last minutes, and what the rates add up to.
#pragma once

#include "tui/panels/panels.h"

namespace drover::tui {

/// Without a budget there is nothing to compare with.
int budget_panel_rows(const Model& model);
void draw_budget(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
