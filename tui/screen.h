// One whole frame: title line, banner, view, hint row.
#pragma once

#include "tui/state/scene.h"
#include "tui/state/view_table.h"

namespace drover::tui {

/// Below, one line says that the terminal is too small.
inline constexpr Size smallest_size{20, 3};

bool is_too_small(Size size);
/// What the views have: what title, banner, caption and hints leave.
Rect body_of(const Scene& scene, Size size);
/// What a person must know above all: that this is not now, or not whole; empty when all is well.
/// In so many columns, where it can be said so shortly; else its end is to be cut.
std::string banner_of(const Scene& scene, int columns);
/// Lays out the present view and moves scroll positions and orders to where it needs them.
void arrange(const Arrangement& arrangement, Choices& choices);
void draw_screen(const Scene& scene, Canvas& canvas);

}  // namespace drover::tui
