// The log over the last hour: a line for each kind of entry, a column for each span of time.
#pragma once

#include "tui/canvas/draw_region.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// With the heading and the time axis.
inline constexpr int log_strip_rows = 8;

/// Counts the entries that match the filter. The time span is an hour, less for a younger log.
void draw_log_strip(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
