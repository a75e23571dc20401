// The look of each cell style: its colours in one table per theme, for terminals with 256
// and with 8 colours, and what all themes share. With 16 colours, text is as with 8, in the bright
// variants on a dark background; in 24-bit colour all but the heat scale is as with 256.
#pragma once

#include <cstdint>
#include <string>

#include "tui/canvas/canvas.h"
#include "tui/canvas/heat_scale.h"
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

/// The colours that a theme uses of those that a terminal has: the theme `terminal` at most 16.
/// REQUIRES that `colours` is not `detect`.
Colours colours_used(Theme theme, Colours colours);
/// Whether the heat scale is told by colours alone; else blank cells become characters.
bool is_rich(Theme theme, Colours colours);

/// What a terminal is told of a cell.
struct CellPaint {
  /// As numbers; from `direct_colour` on 24 bits, 0xRRGGBB above it; -1: the terminal's own.
  int foreground = -1, background = -1;
  std::uint8_t attributes = attribute_none;  // TextAttribute bits
  bool operator==(const CellPaint&) const = default;
};
inline constexpr int direct_colour = 1 << 24;

/// `shade`: of a cell of the heat scale. REQUIRES that `colours` is not `detect`.
CellPaint paint_of(CellStyle style, HeatShade shade, Theme theme, Colours colours);

/// The escape sequence (ECMA-48 SGR, with xterm's 256 colours and ISO 8613-6's 24 bits as xterm
/// writes them) that switches from any look to this one.
std::string ansi_of(const CellPaint& paint);

}  // namespace drover::tui
