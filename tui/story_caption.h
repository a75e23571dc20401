// The demo's story above the hints: what happens and why, whether the screen follows it, and in its
// last chapter what all of it came to.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

/// The rows that it takes; 0 without a story.
int story_rows(const FrameContext& frame, Size size);
/// REQUIRES a story, and a region of its rows.
void draw_story(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
