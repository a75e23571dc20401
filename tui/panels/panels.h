// Panels that more than one view shows.
#pragma once

#include <string>
#include <string_view>

#include "tui/state/scene.h"

namespace drover::tui {

void draw_device(const Scene& scene, Pen pen, DeviceTable::Row row, std::string_view title);
/// Without its heading, from `row` on, which may lie above the pen's area: then less is seen.
/// Answers the row behind.
int draw_decision(Pen& pen, int row, const Decision& decision);
std::string decision_title(const Decision& decision);
int decision_rows(const Decision& decision);
/// "J K scroll, 3 more", when details are longer than their panel.
std::string scroll_note(int rows, int visible, int top);
void draw_events(const Scene& scene, Pen pen);

/// "label  value" at a row; unknown values are faint.
void draw_fact(Pen& pen, int column, int row, int label_columns, std::string_view label,
               std::string_view value, Role role = Role::plain);

}  // namespace drover::tui
