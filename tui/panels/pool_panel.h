// The pools of the policy as the router sees them, and the site below them: health, watts against
// caps, money, waiting work.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

/// Heading, titles, a line per pool, and one of the site.
int pool_panel_rows(const Model& model);
void draw_pools(const Scene& scene, Pen pen);

}  // namespace drover::tui
