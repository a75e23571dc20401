// The smallest terminal that shows what ncurses sends: text, colours, the cursor, erasing. Any
// other sequence is a failure of the test: it does not scroll.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/terminal/curses_screen.h"

namespace drover::tui {

class SmallTerminal {
 public:
  struct Style {
    bool bold = false, dim = false, reverse = false;
    int foreground = -1, background = -1;  // -1: the terminal's own
    bool operator==(const Style&) const = default;
  };
  struct ShownCell {
    std::string text = " ";  // empty within a wide character
    Style style;
  };

  explicit SmallTerminal(Size size);
  void receive(std::string_view bytes);
  const ShownCell& at(int column, int row) const;
  /// Rows of text, each ended by a newline.
  std::string text() const;
  const Style& style() const { return style_; }
  Size cursor() const { return {column_, row_}; }

 private:
  std::size_t obey(std::string_view bytes);
  void control(char final, const std::vector<int>& numbers);
  void set_style(const std::vector<int>& numbers);
  void put(std::string_view character);
  void insert(int count);
  void erase(int from_column, int from_row, int to_column, int to_row);
  ShownCell& cell(int column, int row);

  Size size_;
  std::vector<ShownCell> cells_;
  int column_ = 0, row_ = 0;
  bool inserts_ = false, wraps_ = true;
  Style style_;
};

/// How a cell looks with these colours, as palette.h has it.
SmallTerminal::Style style_on_terminal(const Cell& cell, Theme theme, Colours colours);

/// Expects that the terminal shows the canvas: every text and, where it can be seen, every style.
void expect_shown(const SmallTerminal& terminal, const Canvas& canvas, Theme theme,
                  Colours colours);

}  // namespace drover::tui
