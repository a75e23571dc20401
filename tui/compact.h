// The views on a terminal too small for panels: title, then the most important facts or the rows of
// the list, a line each, as many as there are rows.
#pragma once

#include <string>
#include <vector>

#include "tui/state/scene.h"

namespace drover::tui {

/// From here on views have panels; below, lines.
inline constexpr Size panels_size{60, 16};

struct CompactLine {
  std::string text;
  Role role = Role::plain;
  int item = -1;  // in the view's list; -1: of none
};

bool is_compact(Size size);
/// What there is to say, the most important first: at most `most` lines, of a list those around the
/// selected item.
std::vector<CompactLine> compact_lines(const Scene& scene, int most);
void draw_compact(const Scene& scene, Canvas& canvas);

}  // namespace drover::tui
