// Canvases to the screen, keys and mouse from it. The only file that knows ncurses, of which it
// takes the terminal database alone. Never waits for a terminal that is slow or stopped. Restores
// the terminal on every exit that runs destructors (every signal that asks a process to end arrives
// as Ctrl-C), in a signal handler on a crash, and while Ctrl-Z or SIGTSTP has it stopped; paints
// afresh when a stop of any kind is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"
#include "tui/terminal/frame_stream.h"
#include "tui/terminal/key.h"

namespace drover::tui {

struct TerminalOptions {
  Colours colours = Colours::detect;  // `detect` heeds NO_COLOR; the others were asked for
  Theme theme = Theme::dark;
  bool unicode = false;  // it shows Unicode, although the locale does not say so
  bool mouse = true;     // else the terminal's own selection works as it does in a shell
  /// Bytes that a frame may have, from frame_bytes_min. None: frame_bytes_remote when this is an
  /// ssh session, without a limit when it is not.
  std::optional<std::size_t> bytes_per_frame{};
};

class Terminal {
 public:
  /// One clear line when there is no terminal, or TERM is unknown or too simple. Any size will do.
  static Result<std::unique_ptr<Terminal>> open(const TerminalOptions& options);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Size size() const;
  /// Can be read when `keys` has something to do: input, a new size, bytes that can be written on.
  int descriptor() const;
  /// Takes what has been typed, clicked and pasted, then writes on what the terminal did not take
  /// before. A resize gives the key "Resize", 30 times a second at most. A terminal that has gone
  /// gives Ctrl-C, and `status` says why.
  std::vector<Key> keys();
  Status status();

  /// The last frame has gone whole: another may be shown. Until then frames that are due are
  /// `skip`ped: they would be old before they came.
  bool ready() const;
  void skip();
  /// The last frame was longer than one may be, and it is time for its rest: show again.
  bool wants_rest() const;
  /// Writes what differs from what stands there, as far as the terminal takes it. REQUIRES ready().
  void show(const Canvas& canvas);
  /// Rings with the next frame.
  void ring();
  /// These options from the next frame on, which is painted whole.
  void restyle(const TerminalOptions& options);
  TerminalFigures figures() const;
  /// UTF-8 locale and a terminal that can show it: else options.ascii should be set.
  bool unicode() const;

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover::tui
