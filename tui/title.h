// The title line: tabs of the views, alerts, and which fleet at what time. What it says is
// shortened until it fits; what matters least is shortened first.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Draws on the first row of the region.
void draw_title(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
