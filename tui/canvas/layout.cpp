#include "tui/canvas/layout.h"

#include <algorithm>

namespace drover::tui {

std::vector<int> distribute(int space, const std::vector<SizeHint>& hints, int gap) {
  std::vector<int> sizes(hints.size(), 0);
  int left = std::max(0, space);
  bool first = true;
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const int cost = hints[i].least + (first ? 0 : gap);
    if (hints[i].least <= 0 || cost > left) continue;
    sizes[i] = hints[i].least;
    left -= cost;
    first = false;
  }
  // Distribute the remaining space by weight, repeatedly, as panels reach their limit.
  while (left > 0) {
    int weights = 0;
    for (std::size_t i = 0; i < hints.size(); ++i) {
      if (sizes[i] > 0 && sizes[i] < hints[i].most) weights += std::max(0, hints[i].weight);
    }
    if (weights == 0) break;
    const int round = left;
    for (std::size_t i = 0; i < hints.size() && left > 0; ++i) {
      if (sizes[i] == 0 || sizes[i] >= hints[i].most || hints[i].weight <= 0) continue;
      const int offer = std::max(1, round * hints[i].weight / weights);
      const int taken = std::min({offer, hints[i].most - sizes[i], left});
      sizes[i] += taken;
      left -= taken;
    }
  }
  return sizes;
}

std::vector<Rect> cut_rows(const Rect& area, const std::vector<SizeHint>& hints, int gap) {
  std::vector<Rect> rects;
  int row = area.row;
  for (const int size : distribute(area.rows, hints, gap)) {
    rects.push_back({area.column, row, size > 0 ? area.columns : 0, size});
    if (size > 0) row += size + gap;
  }
  return rects;
}

std::vector<Rect> cut_columns(const Rect& area, const std::vector<SizeHint>& hints, int gap) {
  std::vector<Rect> rects;
  int column = area.column;
  for (const int size : distribute(area.columns, hints, gap)) {
    rects.push_back({column, area.row, size, size > 0 ? area.rows : 0});
    if (size > 0) column += size + gap;
  }
  return rects;
}

}  // namespace drover::tui
