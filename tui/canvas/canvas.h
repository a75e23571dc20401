// A grid of cells, on which views draw. The terminal shows it, and tests compare it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/heat_scale.h"
#include "tui/canvas/theme.h"

namespace drover::tui {

/// The meaning of a cell, not its look: palette.h maps styles to colours and attributes.
enum class CellStyle : std::uint8_t {
  plain,
  faint,
  strong,
  title,
  good,
  warm,
  hot,
  critical,
  selected,
  header,
  accent,
  stale,
  badge,  // stands out on a title line
  alarm,  // a line across the screen
  fault,  // an injected fault
  heat0,
  heat1,
  heat2,
  heat3,
  heat4,
  heat5,
  heat6,
  heat7,  // the heat map's scale, cold to hot
  fill_good,
  fill_warm,
  fill_hot,
  fill_critical,  // the filled part of a bar
  track,          // the empty part of a bar
};
inline constexpr int cell_style_count = 28;

struct Cell {
  std::string text = " ";  // one column: a UTF-8 character; empty after a wide one
  CellStyle style = CellStyle::plain;
  HeatShade shade = 0;  // of a cell of the heat scale: its colour where a terminal has 24 bits
  bool operator==(const Cell&) const = default;
};

struct Size {
  int columns = 80;
  int rows = 24;
  bool operator==(const Size&) const = default;
};

struct Rect {
  int column = 0, row = 0, columns = 0, rows = 0;
  bool operator==(const Rect&) const = default;
};

/// The text of a cell on a terminal: its own, if there are enough colours for the heat map.
std::string_view text_shown(const Cell& cell, bool colours_rich);

class Canvas {
 public:
  explicit Canvas(Size size);
  Size size() const { return size_; }
  const Cell& at(int column, int row) const;
  /// Writes text, filtered by `printable` and clipped at the right edge of `clip`, and returns the
  /// column after it. Cells outside the canvas are ignored.
  int put(int column, int row, std::string_view text, CellStyle style = CellStyle::plain);
  int put(const Rect& clip, int column, int row, std::string_view text,
          CellStyle style = CellStyle::plain);
  void fill(const Rect& rect, std::string_view cell_text, CellStyle style = CellStyle::plain);
  /// Sets the style of the cells of `rect`, except for bars and heat cells.
  void tint(const Rect& rect, CellStyle style);
  /// Gives the cells of the heat scale in `rect` this shade.
  void shade(const Rect& rect, HeatShade shade);
  /// Copies the rows of another canvas from `first_row` on to `to`, clipped to both.
  void paste(const Canvas& from, int first_row, const Rect& to);
  /// Rows of text without trailing blanks, each ended by a newline.
  std::string to_text() const;
  /// With ANSI colours, to paste into tickets. REQUIRES that `colours` is not `detect`.
  std::string to_ansi(Theme theme = Theme::dark, Colours colours = Colours::many) const;

 private:
  std::string_view text_of(int column, int row) const;

  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace drover::tui
