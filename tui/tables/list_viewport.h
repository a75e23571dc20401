// The visible part of a list, its items, and choices in a cycle.
#pragma once

#include <algorithm>
#include <vector>

namespace drover::tui {

struct ListViewport {
  int top = 0;      // first item shown
  int row = -1;     // screen row of the selected item; -1: not fixed
  int visible = 1;  // screen rows of the list
  int count = 0;    // items

  /// Scrolls so that the selected item (-1: none) keeps its screen row or, after a move, is
  /// visible.
  void scroll_to(int selected, int items, int rows) {
    count = items;
    visible = std::max(1, rows);
    if (selected >= 0 && row >= 0) top = selected - row;
    if (selected >= 0) top = std::clamp(top, selected - visible + 1, selected);
    top = std::clamp(top, 0, std::max(0, count - visible));
    row = selected >= 0 ? selected - top : -1;
  }
};

/// The index of the first item for which `wanted` is true; -1 if there is none.
template <typename Item, typename Wanted>
int index_where(const std::vector<Item>& items, const Wanted& wanted) {
  const auto found = std::find_if(items.begin(), items.end(), wanted);
  return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

/// The first line from `index` on in `direction` that can be selected, else one before it; null if
/// there is none.
template <typename Line, typename Selectable>
const Line* nearest_line(const std::vector<Line>& lines, int index, int direction,
                         const Selectable& selectable) {
  const int onward = direction < 0 ? -1 : 1;
  for (const int step : {onward, -onward}) {
    for (int i = index; i >= 0 && i < static_cast<int>(lines.size()); i += step) {
      const Line& line = lines[static_cast<std::size_t>(i)];
      if (selectable(line)) return &line;
    }
  }
  return nullptr;
}

/// The next choice in a cycle of `count`.
template <typename Choice>
void advance(Choice& chosen, int count, int by) {
  chosen = static_cast<Choice>((static_cast<int>(chosen) + by + count) % count);
}

}  // namespace drover::tui
