// The timeline as one line: the moment shown, and the markers to jump to.
#pragma once

#include "tui/canvas/draw_region.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// The resolution of clicks on it: the covered time is divided into this many parts.
inline constexpr int scrubber_parts = 10'000;

/// Draws on the first row of the region: "02:37:01 ──!──m──█──── 02:38:41".
void draw_scrubber(const FrameContext& frame, DrawRegion region);
/// The moment of a click.
Instant moment_at_part(const PlaybackCursor& cursor, Instant live_now, int part);

}  // namespace drover::tui
