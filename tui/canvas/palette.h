// How each role looks: its colours in one table per theme (theme_*.cpp), for terminals with 256
// colours and with 8; and what is the same in all of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"

namespace drover::tui {

/// Attributes, one bit each, so that the tables need no ncurses.
enum Look : std::uint8_t { look_plain = 0, look_bold = 1, look_dim = 2, look_reverse = 4 };

struct RoleFacts {
  Role role;
  char letter;             // in Canvas::to_styled_text; ' ' for plain
  std::uint8_t look_mono;  // Look bits, where there are no colours
};

struct RoleColours {
  Role role;
  std::int16_t ink_256;  // xterm colour number from 16 on, as terminals differ in the first 16;
                         // -1: the terminal's own
  std::int16_t ground_256;
  std::int16_t ink_8;  // 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white
  std::int16_t ground_8;
  std::uint8_t look;  // Look bits, with colours
};

using ThemeColours = std::array<RoleColours, role_count>;
extern const ThemeColours dark_colours;
extern const ThemeColours light_colours;
extern const ThemeColours contrast_colours;
extern const ThemeColours deuteranopia_colours;
extern const ThemeColours tritanopia_colours;

const RoleFacts& facts(Role role);
const RoleColours& colours_of(Role role, Theme theme);

/// The escape sequence (ECMA-48 SGR; 256 colours as xterm has them) that switches from anything to
/// the role. REQUIRES that `colours` is not `detect`.
std::string ansi_of(Role role, Theme theme, Colours colours);

}  // namespace drover::tui
