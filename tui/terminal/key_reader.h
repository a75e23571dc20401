// Keys, mouse and pastes out of the bytes that a terminal sends. No terminal here, so that every
// sequence can be tested. Sequences are those of xterm and of what followed it (VTE, PuTTY, rxvt,
// the Linux console, screen, tmux), and what the terminal database says besides.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tui/terminal/key.h"

namespace drover::tui {

/// A paste is cut here: nobody reads more in a line of the screen.
inline constexpr std::size_t paste_bytes_max = 4096;

/// What a key of this terminal sends, when it is something of its own.
struct KeySequence {
  std::string bytes;
  std::string_view name;  // of Key
};

class KeyReader {
 public:
  using Moment = std::chrono::milliseconds;  // of any clock that never goes back

  explicit KeyReader(std::vector<KeySequence> own = {});

  /// The keys that have become whole. What cannot be understood is left out, never taken for keys.
  std::vector<Key> read(std::string_view bytes, Moment now);

  /// Something has begun and is not whole: the key Esc, or the beginning of a sequence.
  bool waiting() const { return pasting_ || !pending_.empty(); }
  /// Until when the rest may come; then `give_up` says what it was. REQUIRES waiting().
  Moment deadline() const;
  std::vector<Key> give_up();

 private:
  enum class Step { taken, wanted };

  Step take(std::vector<Key>& keys);
  Step take_escape(std::vector<Key>& keys);
  Step take_control_sequence(std::vector<Key>& keys);
  Step take_old_mouse(std::vector<Key>& keys);
  Step take_paste(std::vector<Key>& keys);
  void take_character(std::vector<Key>& keys);
  void add_mouse(std::vector<Key>& keys, int button, int column, int row, bool released);
  void drop(std::size_t bytes) { pending_.erase(0, bytes); }

  std::vector<KeySequence> own_;
  std::string pending_;
  std::string paste_;
  bool pasting_ = false;
  Moment now_{0};
  Key last_click_;
  Moment last_click_at_{0};
};

}  // namespace drover::tui
