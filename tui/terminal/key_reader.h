// Parses keys, mouse events and pastes from the bytes that a terminal sends. It has no terminal, so
// every sequence can be tested. It knows the sequences of xterm and similar terminals (VTE, PuTTY,
// rxvt, the Linux console, screen, tmux), and those of the terminfo database.
//
// ncurses does not read the keys because it knows only the entry of TERM and gives all other bytes
// to the program as keys. Tried with ncurses 6.4, xterm-256color, `keypad`, `mousemask`,
// `define_key` for pastes and `get_wch` on a pipe:
// - the answer "\x1b[?62;c" of a terminal became Esc [ ? 6 2 ; c, "\x1b[A" became Esc [ A, and Home
//   of PuTTY ("\x1b[1~") became Esc [ 1 ~: commands of the dashboard that nobody gave;
// - a key whose bytes were cut by 60 ms ("\x1b[1;" "5C") became Esc [ 1 ; and 5 C;
// - "j" after the invalid byte 0xFF was lost, and reports with missing parts became clicks;
// - wheels to the side, drags and moves were the same event;
// - a paste came as 60,000 keys in 0.8 s, its sequences as keys of their own;
// - Esc held up the program for 50 ms (ESCDELAY), during which no frame is sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tui/terminal/key.h"

namespace drover::tui {

/// Longer pastes are cut: more would not be readable in one line.
inline constexpr std::size_t paste_bytes_max = 4096;

/// The sequence of a key that this terminal does not share with the others.
struct KeySequence {
  std::string bytes;
  std::string_view name;  // of Key
};

class KeyReader {
 public:
  using SteadyTime = std::chrono::milliseconds;  // of any monotonic clock

  explicit KeyReader(std::vector<KeySequence> own = {});

  /// Returns the completed keys. Unknown sequences are dropped, never read as keys.
  std::vector<Key> read(std::string_view bytes, SteadyTime now);

  /// Whether the input is incomplete: the key Esc, or the beginning of a sequence.
  bool waiting() const { return pasting_ || !pending_.empty(); }
  /// Until when to wait for the rest before calling `flush_incomplete`. REQUIRES waiting().
  SteadyTime deadline() const;
  std::vector<Key> flush_incomplete();

 private:
  enum class ParseStep { consumed, wanted };

  ParseStep take(std::vector<Key>& keys);
  ParseStep take_escape(std::vector<Key>& keys);
  ParseStep take_control_sequence(std::vector<Key>& keys);
  ParseStep take_old_mouse(std::vector<Key>& keys);
  ParseStep take_paste(std::vector<Key>& keys);
  void take_character(std::vector<Key>& keys);
  void add_mouse(std::vector<Key>& keys, int button, int column, int row, bool released);
  void drop(std::size_t bytes) { pending_.erase(0, bytes); }

  std::vector<KeySequence> own_;
  std::string pending_;
  std::string paste_;
  bool pasting_ = false;
  SteadyTime now_{0};
  Key last_click_;
  SteadyTime last_click_at_{0};
};

}  // namespace drover::tui
