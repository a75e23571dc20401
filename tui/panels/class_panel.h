// The job classes of the policy and how each meets its target.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Heading, column titles, and a line per class; 0 if no class has a finished job.
int class_panel_rows(const Model& model);
/// The width that shows all columns.
inline constexpr int class_panel_columns = 82;
void draw_classes(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
