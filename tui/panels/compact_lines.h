// Lines of a list on a terminal too small for panels.
#pragma once

#include <algorithm>
#include <vector>

#include "tui/state/view.h"

namespace drover::tui {

/// `line` of each item around the selected one (-1: none).
template <typename Items, typename Line>
std::vector<CompactLine> list_lines(const Items& items, const ListViewport& place, int selected,
                                    int lines_max, const Line& line) {
  const int count = static_cast<int>(items.size());
  int first = std::clamp(place.top, 0, std::max(0, count - lines_max));
  if (selected >= 0) first = std::clamp(first, std::max(0, selected - lines_max + 1), selected);
  std::vector<CompactLine> lines;
  for (int item = first; item < std::min(count, first + lines_max); ++item) {
    lines.push_back(line(items[static_cast<std::size_t>(item)], item));
  }
  return lines;
}

}  // namespace drover::tui
