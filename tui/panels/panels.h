// Panels that are used by more than one view.
#pragma once

#include <string>
#include <string_view>

#include "tui/state/frame_context.h"

namespace drover::tui {

void draw_device(const FrameContext& frame, DrawRegion region, DeviceTable::Row row,
                 std::string_view title);
/// Draws the decision without its heading from `row` on, which may be above the region: then less
/// is visible. Returns the row after it.
int draw_decision(DrawRegion& region, int row, const Decision& decision);
std::string decision_title(const Decision& decision);
int decision_rows(const Decision& decision);
/// "J K scroll, 3 more" if details are longer than their panel.
std::string scroll_note(int rows, int visible, int top);
void draw_events(const FrameContext& frame, DrawRegion region);

/// "label  value" at a row; unknown values are faint.
void draw_fact(DrawRegion& region, int column, int row, int label_columns, std::string_view label,
               std::string_view value, CellStyle style = CellStyle::plain);

}  // namespace drover::tui
