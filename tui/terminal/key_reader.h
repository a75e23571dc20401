// Parses keys, mouse events and pastes from the bytes that a terminal sends. It has no terminal, so
// every sequence can be tested. It knows the sequences of xterm and similar terminals (VTE, PuTTY,
// rxvt, the Linux console, screen, tmux), and those of the terminfo database.
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
