// How the policy's classes of work do by the number that decides over each.
#pragma once

#include "tui/state/scene.h"

namespace drover::tui {

/// Heading, titles, and a line per class; 0 where no class has finished anything.
int class_panel_rows(const Model& model);
/// Columns from which on it shows all there is.
inline constexpr int class_panel_columns = 82;
void draw_classes(const Scene& scene, Pen pen);

}  // namespace drover::tui
