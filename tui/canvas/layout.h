// Sizes in, rectangles out; no canvas here, so every size can be tested.
#pragma once

#include <span>
#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

/// What a panel asks for along one axis.
struct Wish {
  int least = 0;   // with less it is left out
  int most = 0;    // it never grows beyond
  int weight = 1;  // its share of what is left over when every panel has its least
};

/// One size per wish, 0 for a panel that is left out. Earlier panels go first. The sum is at most
/// `space`, gaps of `gap` between the panels that are shown included.
std::vector<int> share_out(int space, std::span<const Wish> wishes, int gap = 0);

/// `area` cut into rows, from the top, or into columns, from the left. Left-out panels are empty.
std::vector<Rect> cut_rows(const Rect& area, std::span<const Wish> wishes, int gap = 0);
std::vector<Rect> cut_columns(const Rect& area, std::span<const Wish> wishes, int gap = 0);

}  // namespace drover::tui
