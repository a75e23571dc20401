// A grid of cells: what views draw on, what the terminal shows, what tests compare. No terminal
// here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/theme.h"

namespace drover::tui {

/// What a cell means, not how it looks: terminal.cpp maps roles to colours or attributes.
enum class Role : std::uint8_t {
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
  fault,  // was injected on purpose
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
inline constexpr int role_count = 28;

struct Cell {
  std::string text = " ";  // one column: a UTF-8 character; empty behind a wide one
  Role role = Role::plain;
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

/// What stands in a cell where colours cannot speak: a blank cell of the heat map becomes a
/// character of ".:-=+*#@" and a blank cell of a bar's filled part "|"; others are themselves.
std::string_view text_without_colour(const Cell& cell);

/// What stands in it on a terminal: with so many colours that the heat map speaks by them, the
/// cell's own text.
std::string_view text_shown(const Cell& cell, bool colours_rich);

class Canvas {
 public:
  explicit Canvas(Size size);
  Size size() const { return size_; }
  const Cell& at(int column, int row) const;
  /// Writes text made safe by `printable`, clipped at the right edge of `clip`; answers the column
  /// after it. Cells outside the canvas are ignored.
  int put(int column, int row, std::string_view text, Role role = Role::plain);
  int put(const Rect& clip, int column, int row, std::string_view text, Role role = Role::plain);
  void fill(const Rect& rect, std::string_view cell_text, Role role = Role::plain);
  /// Gives the cells of `rect` another role; bars and heat cells keep theirs.
  void tint(const Rect& rect, Role role);
  /// Puts the rows of another canvas from `first_row` on where `to` says, as far as both reach.
  void paste(const Canvas& from, int first_row, const Rect& to);
  /// Rows of text, trailing blanks cut, each ended by a newline.
  std::string to_text() const;
  /// The same with a second layer: one letter per cell's role under each row that has any.
  std::string to_styled_text() const;
  /// With ANSI colours, for tickets. REQUIRES that `colours` is not `detect`.
  std::string to_ansi(Theme theme = Theme::dark, Colours colours = Colours::many) const;

 private:
  std::string_view text_of(int column, int row) const;

  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace drover::tui
