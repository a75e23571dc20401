// The views on a terminal too small for panels: a title, then one line for each of the most
// important facts or for each row of the list.
#pragma once

#include <string>
#include <vector>

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Views have panels from this size on; smaller terminals get lines.
inline constexpr Size panels_size{60, 16};

struct CompactLine {
  std::string text;
  CellStyle style = CellStyle::plain;
  int item = -1;  // index in the view's list; -1: the line is no item
};

bool is_compact(Size size);
/// At most `lines_max` lines, the most important first. Of a list, those around the selected item.
std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max);
void draw_compact(const FrameContext& frame, Canvas& canvas);

}  // namespace drover::tui
