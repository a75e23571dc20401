// Shows canvases on the terminal and reads keys and mouse. It never waits for a slow or stopped
// terminal. It restores the terminal on every exit that runs destructors (each signal that asks a
// process to end arrives as Ctrl-C), in a signal handler on a crash, and while Ctrl-Z or SIGTSTP
// has stopped it. After any stop it repaints the screen. One terminal at a time, as ncurses's
// screen and signal handlers belong to the process.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"
#include "tui/terminal/frame_stream.h"
#include "tui/terminal/key.h"

namespace drover::tui {

struct TerminalOptions {
  Colours colours = Colours::detect;  // only `detect` respects NO_COLOR
  Theme theme = Theme::dark;
  bool unicode = false;  // use Unicode even if the locale is not UTF-8
  bool mouse = true;     // if false, the terminal's own text selection works
  /// Size limit of a frame in bytes, at least frame_bytes_min. Default: frame_bytes_remote and
  /// bytes_per_s_remote in an ssh session, else no limit.
  std::optional<std::size_t> bytes_per_frame{};
};

class Terminal {
 public:
  /// Fails with a one-line error if there is no terminal or TERM is unknown or too simple. Any size
  /// is accepted.
  static Result<std::unique_ptr<Terminal>> open(const TerminalOptions& options);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;
  /// Readable when `keys` must be called: input, a new size, or pending output can be written.
  int descriptor() const;
  /// Returns keys, clicks and pastes, then continues to write pending output. A resize gives the
  /// key "Resize", at most 30 times a second. A terminal that is gone gives Ctrl-C, and `status`
  /// says why.
  std::vector<Key> keys();
  Status status();

  /// Whether the last frame is completely written. Until then `skip` counts each due frame, which
  /// would be out of date before it was written.
  bool ready() const;
  void skip();
  /// Whether the last frame was cut and its rest is due: call `show` again.
  bool wants_rest() const;
  /// Writes the differences to the screen, as much as the terminal takes. REQUIRES ready().
  void show(const Canvas& canvas);
  /// Rings with the next frame.
  void ring();
  /// Copies the text to the clipboard of the terminal (OSC 52) before the next frame. A terminal
  /// that does not allow it ignores it.
  void copy(std::string_view text);
  /// Uses other options from the next frame on, which repaints the whole screen.
  void restyle(const TerminalOptions& options);
  TerminalStats stats() const;
  /// Whether locale and terminal support UTF-8; else options.ascii should be set.
  bool unicode() const;

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover::tui
