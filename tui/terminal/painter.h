// The bytes that turn what stands on a terminal's screen into the next frame. No terminal here, so
// what is written can be tested.
//
// We write them ourselves, because curses also scrolls regions of the screen by a count, which many
// terminal programs do not know although their description promises it; lines then stay where they
// were. Moving the cursor, switching colours, writing text and blanking the rest of a line every
// terminal can.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tui/canvas/canvas.h"

namespace drover::tui {

struct TerminalWords {
  std::string clear;                         // the whole screen
  std::array<std::string, role_count> role;  // switches to it, whatever was before
  std::function<std::string(int row, int column)> move;
  // Shorter ways, each empty where the terminal has none.
  std::string back, down;  // one cell to the left, one row down in the same column
  std::string clear_rest;  // blanks from the cursor to the end of its row
  std::function<std::string(int cells)> right;
  bool colours_rich = true;     // so many that blank cells of the heat map need no characters
  bool unicode = true;          // else other characters than ASCII become "?"
  bool cursor_shows = false;    // it cannot be hidden: it rests in a corner
  bool corner_scrolls = false;  // writing the last cell would scroll: it stays blank
};

/// The least that a frame may be cut to: any step to one cell of any terminal is shorter.
inline constexpr std::size_t frame_bytes_min = 256;
inline constexpr std::size_t frame_bytes_unlimited = std::numeric_limits<std::size_t>::max();

class Painter {
 public:
  explicit Painter(TerminalWords words);

  /// To be written whole, and next. Of a frame that would take more than `bytes_max` (at least
  /// `frame_bytes_min`) so many rows as fit: `whole` says so, and the next frame goes on from
  /// there. Empty when nothing differs.
  std::string paint(const Canvas& wanted, std::size_t bytes_max = frame_bytes_unlimited);
  /// The screen shows all of the last frame.
  bool whole() const { return whole_; }
  /// What stands on the screen is not known any more: it will be cleared.
  void forget() { known_ = false; }

 private:
  struct Place {
    int column = -1, row = -1;  // -1: not known
  };

  void begin(const Canvas& wanted);
  bool paint_row(const Canvas& wanted, int row);
  bool differs(const Canvas& wanted, int column, int row) const;
  int blank_from(const Canvas& wanted, int row) const;
  void go_to(const Canvas& wanted, int column, int row);
  std::string way_to(int column, int row) const;
  bool write_gap(const Canvas& wanted, int column, std::size_t bytes_max);
  void write(const Canvas& wanted, int column, int row);
  void switch_to(Role role);
  std::string_view text_of(const Cell& cell) const;
  bool looks_like(Role role, const Cell& cell) const;
  std::size_t index(int column, int row) const;

  TerminalWords words_;
  std::array<std::array<std::string, role_count>, role_count> change_;  // [from][to]
  std::array<std::array<bool, role_count>, role_count> same_blank_{};

  Size size_{0, 0};
  std::vector<Cell> shown_;
  bool known_ = false;
  bool whole_ = true;
  int next_row_ = 0;  // where a frame that was cut goes on

  // Of the frame that is being painted.
  std::string bytes_;
  std::size_t bytes_max_ = frame_bytes_unlimited;
  Place cursor_;
  Role role_ = Role::plain;
  bool role_known_ = false;
};

}  // namespace drover::tui
