// One whole frame: title line, banner, view, hint row.
#pragma once

#include "tui/state/frame_context.h"
#include "tui/state/view.h"

namespace drover::tui {

/// A smaller terminal shows one line that says so.
inline constexpr Size smallest_size{20, 3};

bool is_too_small(Size size);
/// The rectangle of the view: what title, banner, caption and hints leave.
Rect body_of(const FrameContext& frame, Size size);
/// The warning that the data shown is not live or not complete; empty when all is well. A shorter
/// text is used if it fits in `columns`; else the caller cuts the end.
std::string banner_of(const FrameContext& frame, int columns);
/// `body`: of the view's layout.
void draw_screen(const FrameContext& frame, const View& view, const Rect& body, Canvas& canvas);

}  // namespace drover::tui
