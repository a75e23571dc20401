#include "tui/canvas/layout.h"

#include <algorithm>

namespace drover::tui {

std::vector<int> share_out(int space, std::span<const Wish> wishes, int gap) {
  std::vector<int> sizes(wishes.size(), 0);
  int left = std::max(0, space);
  bool first = true;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const int cost = wishes[i].least + (first ? 0 : gap);
    if (wishes[i].least <= 0 || cost > left) continue;
    sizes[i] = wishes[i].least;
    left -= cost;
    first = false;
  }
  // Hand out what is left by weight, again and again, as panels reach their most.
  while (left > 0) {
    int weights = 0;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      if (sizes[i] > 0 && sizes[i] < wishes[i].most) weights += std::max(0, wishes[i].weight);
    }
    if (weights == 0) break;
    const int round = left;
    for (std::size_t i = 0; i < wishes.size() && left > 0; ++i) {
      if (sizes[i] == 0 || sizes[i] >= wishes[i].most || wishes[i].weight <= 0) continue;
      const int offer = std::max(1, round * wishes[i].weight / weights);
      const int taken = std::min({offer, wishes[i].most - sizes[i], left});
      sizes[i] += taken;
      left -= taken;
    }
  }
  return sizes;
}

std::vector<Rect> cut_rows(const Rect& area, std::span<const Wish> wishes, int gap) {
  std::vector<Rect> rects;
  int row = area.row;
  for (const int size : share_out(area.rows, wishes, gap)) {
    rects.push_back({area.column, row, size > 0 ? area.columns : 0, size});
    if (size > 0) row += size + gap;
  }
  return rects;
}

std::vector<Rect> cut_columns(const Rect& area, std::span<const Wish> wishes, int gap) {
  std::vector<Rect> rects;
  int column = area.column;
  for (const int size : share_out(area.columns, wishes, gap)) {
    rects.push_back({column, area.row, size, size > 0 ? area.rows : 0});
    if (size > 0) column += size + gap;
  }
  return rects;
}

}  // namespace drover::tui
