// Heat and what it does, and caps: the hottest devices, for how long clocks were held down by what,
// and whose are held down now. Of the devices that the filter leaves.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

inline constexpr int hottest_most = 8;
void draw_hottest(const Scene& scene, Pen pen);

inline constexpr int held_panel_rows = 5;
void draw_held(const Scene& scene, Pen pen);

void draw_slowed(const Scene& scene, Pen pen);

}  // namespace drover::tui
