// The only file that knows ncurses: canvases to the screen, keys from it. Restores the terminal on
// every exit that runs destructors (every signal that asks a process to end arrives as Ctrl-C), in
// a signal handler on a crash, and while Ctrl-Z or SIGTSTP has it stopped.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fleet/result.h"
#include "tui/canvas.h"
#include "tui/dashboard.h"

namespace drover::tui {

enum class Colours : std::uint8_t { detect, none };  // NO_COLOR and --no-colour give none

class Terminal {
 public:
  /// One clear line when there is no terminal, TERM is unknown, or the terminal is too small.
  static Result<std::unique_ptr<Terminal>> open(Colours colours);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;
  /// Can be read when a key has been pressed or the size has changed.
  int descriptor() const;
  /// Takes what has been typed; a resize gives the key "Resize".
  std::vector<Key> keys();
  /// Writes what differs from the last canvas.
  void show(const Canvas& canvas);
  /// UTF-8 locale and a terminal that can show it: else options.ascii should be set.
  bool unicode() const;

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover::tui
