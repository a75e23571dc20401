// The views on a terminal too small for panels: a title, then one line for each of the most
// important facts or for each row of the list.
#pragma once

#include "tui/state/view.h"

namespace drover::tui {

/// Views have panels from this size on; smaller terminals get lines.
inline constexpr Size panels_size{60, 16};

bool is_compact(Size size);
void draw_compact(const FrameContext& frame, const View& view, Canvas& canvas);

}  // namespace drover::tui
