// The bytes that turn one frame on a terminal's screen into the next. No terminal here, so what is
// written can be tested.
//
// We write them ourselves, because curses also scrolls regions of the screen by a count, which many
// terminal programs do not know although their description promises it; lines then stay where they
// were. Moving the cursor, switching colours and writing text every terminal can.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "tui/canvas.h"

namespace drover::tui {

struct TerminalWords {
  std::string clear;  // the whole screen
  std::array<std::string, role_count> role;
  std::function<std::string(int row, int column)> move;
  bool colours_rich = true;     // so many that blank cells of the heat map need no characters
  bool unicode = true;          // else other characters than ASCII become "?"
  bool cursor_shows = false;    // it cannot be hidden: it rests in a corner
  bool corner_scrolls = false;  // writing the last cell would scroll: it stays blank
};

/// `shown` is what stands on the screen now; null when that is unknown: then it is cleared. An
/// empty text when nothing differs.
std::string paint(const TerminalWords& words, const Canvas* shown, const Canvas& wanted);

}  // namespace drover::tui
