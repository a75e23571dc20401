// The look of each cell style: its colours in one table per theme, for terminals with 256
// and with 8 colours, and what all themes share.
#pragma once

#include <cstdint>
#include <string>

#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"

namespace drover::tui {

/// Attributes, one bit each, so that the tables need no ncurses.
enum TextAttribute : std::uint8_t {
  attribute_none = 0,
  attribute_bold = 1,
  attribute_dim = 2,
  attribute_reverse = 4
};

struct CellStyleInfo {
  CellStyle style;
  char letter;                   // names the style in golden screens; ' ' for plain
  std::uint8_t mono_attributes;  // TextAttribute bits, without colours
};

struct CellStyleColours {
  CellStyle style;
  // An xterm colour number from 16 on, as terminals differ in the first 16; -1: the terminal's own.
  std::int16_t foreground_256;
  std::int16_t background_256;
  std::int16_t foreground_8;  // 0 black 1 red 2 green 3 yellow 4 blue 5 magenta 6 cyan 7 white
  std::int16_t background_8;
  std::uint8_t attributes;  // TextAttribute bits, with colours
};

const CellStyleInfo& facts(CellStyle style);
const CellStyleColours& colours_of(CellStyle style, Theme theme);

/// The escape sequence (ECMA-48 SGR, with xterm's 256 colours) that switches from any style to this
/// one. REQUIRES that `colours` is not `detect`.
std::string ansi_of(CellStyle style, Theme theme, Colours colours);

}  // namespace drover::tui
