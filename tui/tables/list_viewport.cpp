#include "tui/tables/list_viewport.h"

#include <algorithm>

namespace drover::tui {

void ListViewport::scroll_to(int selected, int items, int rows) {
  count = items;
  visible = std::max(1, rows);
  if (selected >= 0 && row >= 0) top = selected - row;
  if (selected >= 0) top = std::clamp(top, selected - visible + 1, selected);
  top = std::clamp(top, 0, std::max(0, count - visible));
  row = selected >= 0 ? selected - top : -1;
}

}  // namespace drover::tui
