// What jobs cost more, or less, than they would have in the pool that they wanted, by the reason
// for which they fell back.
#pragma once

#include "tui/scene.h"

namespace drover::tui {

inline constexpr int fallback_panel_columns = 54;
/// Heading, titles, and a line per reason; or one that says that there was none.
int fallback_panel_rows(const Model& model);
void draw_fallbacks(const Scene& scene, Pen pen);

}  // namespace drover::tui
