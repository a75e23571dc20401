// How each role looks, in one table: 256 colours, 8 colours, none; and its letter in golden
// screens.
#pragma once

#include <cstdint>

#include "tui/canvas.h"

namespace drover::tui {

/// Attributes, one bit each, so that the table needs no ncurses.
enum Look : std::uint8_t { look_plain = 0, look_bold = 1, look_dim = 2, look_reverse = 4 };

struct RoleFacts {
  Role role;
  char letter;           // in Canvas::to_styled_text; ' ' for plain
  std::int16_t ink_256;  // xterm colour number; -1: the terminal's own
  std::int16_t ground_256;
  std::int16_t ink_8;  // 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white
  std::int16_t ground_8;
  std::uint8_t look;       // Look bits, with colours
  std::uint8_t look_mono;  // Look bits, without
};

const RoleFacts& facts(Role role);

}  // namespace drover::tui
