// Which part of a list is on the screen.
#pragma once

namespace drover::tui {

struct ListPlace {
  int top = 0;      // first item shown
  int row = -1;     // screen row of the selected item; -1: not fixed
  int visible = 1;  // rows of the screen that it has
  int count = 0;    // items

  /// Puts the selected item (-1: none) where it was on the screen, or, after a move, into sight.
  void settle(int selected, int items, int rows);
};

}  // namespace drover::tui
