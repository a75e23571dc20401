// All moments that can be shown as one line: where the present one stands, and what there is to
// jump to.
#pragma once

#include "tui/canvas/pen.h"
#include "tui/state/scene.h"

namespace drover::tui {

/// Clicks on it are told in these parts of what is covered.
inline constexpr int scrubber_parts = 10'000;

/// On the first row of the pen's area: "02:37:01 ──!──m──█──── 02:38:41".
void draw_scrubber(const Scene& scene, Pen pen);
/// The moment of a click.
Instant moment_at_part(const TimeCursor& cursor, Instant live_now, int part);

}  // namespace drover::tui
