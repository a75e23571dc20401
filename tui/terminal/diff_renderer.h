// Computes the bytes that turn a terminal's screen into the next frame. It has no terminal, so the
// output can be tested.
//
// curses is not used for this because it also scrolls regions of the screen by a count, which many
// terminal programs do not support although their terminfo entry says so; lines then stay where
// they were. Every terminal can move the cursor, switch colours, write text and clear to the end of
// a line.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

struct TerminalSequences {
  std::string clear;                                // the whole screen
  std::array<std::string, cell_style_count> style;  // switches to it from any other style
  std::function<std::string(int row, int column)> move;
  // Shorter sequences, each empty if the terminal has none.
  std::string back, down;  // one cell to the left, one row down in the same column
  std::string clear_rest;  // blanks from the cursor to the end of its row
  std::function<std::string(int cells)> right;
  bool colours_rich = true;     // enough colours that blank heat map cells need no characters
  bool unicode = true;          // else characters beyond ASCII become "?"
  bool cursor_shows = false;    // it cannot be hidden, so it is put in a corner
  bool corner_scrolls = false;  // writing the last cell would scroll: it stays blank
};

/// The least size limit of a frame: drawing one cell takes fewer bytes on any terminal.
inline constexpr std::size_t frame_bytes_min = 256;
inline constexpr std::size_t frame_bytes_unlimited = std::numeric_limits<std::size_t>::max();

class DiffRenderer {
 public:
  explicit DiffRenderer(TerminalSequences words);

  /// The bytes of the next frame, all of which must be written; empty if nothing differs. A frame
  /// that would exceed `bytes_max` (at least `frame_bytes_min`) is cut to the rows that fit; then
  /// `whole` is false, and the next frame continues there.
  std::string paint(const Canvas& wanted, std::size_t bytes_max = frame_bytes_unlimited);
  /// Whether the last frame was not cut.
  bool whole() const { return whole_; }
  /// The screen's content is unknown from here on: the next frame clears it.
  void forget() { known_ = false; }

 private:
  struct CursorPosition {
    int column = -1, row = -1;  // -1: unknown
  };

  void begin(const Canvas& wanted);
  bool paint_row(const Canvas& wanted, int row);
  bool differs(const Canvas& wanted, int column, int row) const;
  int blank_from(const Canvas& wanted, int row) const;
  void go_to(const Canvas& wanted, int column, int row);
  std::string cursor_move(int column, int row) const;
  bool write_gap(const Canvas& wanted, int column, std::size_t bytes_max);
  void write(const Canvas& wanted, int column, int row);
  void set_style(CellStyle style);
  std::string_view text_of(const Cell& cell) const;
  bool looks_like(CellStyle style, const Cell& cell) const;
  std::size_t index(int column, int row) const;

  TerminalSequences sequences_;
  std::array<std::array<std::string, cell_style_count>, cell_style_count> change_;  // [from][to]
  std::array<std::array<bool, cell_style_count>, cell_style_count> same_blank_{};

  Size size_{0, 0};
  std::vector<Cell> shown_;
  bool known_ = false;
  bool whole_ = true;
  int next_row_ = 0;  // where a cut frame continues
  // The frame being painted:
  std::string bytes_;
  std::size_t bytes_max_ = frame_bytes_unlimited;
  CursorPosition cursor_;
  CellStyle style_ = CellStyle::plain;
  bool style_known_ = false;
};

}  // namespace drover::tui
