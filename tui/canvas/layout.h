// Computes rectangles from sizes, without a canvas, so that every size can be tested.
#pragma once

#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

/// The size of a panel along one axis.
struct SizeHint {
  int least = 0;   // a panel that would get less is left out
  int most = 0;    // upper limit
  int weight = 1;  // its share of the space that is left when every panel has its least
};

/// One size per hint, 0 for a panel that is left out. Earlier panels take precedence. The sum is at
/// most `space`, including gaps of `gap` between the panels that are shown.
std::vector<int> distribute(int space, const std::vector<SizeHint>& hints, int gap = 0);

/// `area` cut into rows from the top, or into columns from the left. Omitted panels are empty.
std::vector<Rect> cut_rows(const Rect& area, const std::vector<SizeHint>& hints, int gap = 0);
std::vector<Rect> cut_columns(const Rect& area, const std::vector<SizeHint>& hints, int gap = 0);

}  // namespace drover::tui
