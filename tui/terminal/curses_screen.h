// ncurses draws: these two files are the only ones that know it. It writes into memory and reads
// nothing, so it never waits for the terminal; terminal.h decides when the bytes are sent.
//
// ncurses 6.4 scrolls regions by a count even with `idlok(stdscr, FALSE)`: text moved up by three
// rows gave "\x1b[3S" for xterm-256color and "\x1b[3M" for linux. Many terminal programs do not
// support that although their terminfo entry says so; lines then stay where they were. Therefore a
// frame in which a row takes up the text of another row is given to ncurses row by row: with one
// changed row it finds nothing to scroll.
//
// Measured beside our own computation of differences, which ncurses replaced, with two dashboards
// of 120x40 and 256 colours on one router: 19 to 50 % more bytes (fleet 2.7 and 3.8 KB/s, jobs 4.7
// and 5.7), as ncurses switches attributes and colours one by one and jumps over short gaps; up to
// 0.8 % more of one processor core (devices 4.5 and 5.2 %); a key is on the screen after 2.0 ms
// instead of 1.1 ms.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "fleet/base/result.h"
#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"

namespace drover::tui {

/// The terminfo entry of a kind of terminal. None may exist while a CursesScreen does: ncurses has
/// one current entry.
class TerminfoEntry {
 public:
  TerminfoEntry() = default;
  ~TerminfoEntry();
  TerminfoEntry(const TerminfoEntry&) = delete;
  TerminfoEntry& operator=(const TerminfoEntry&) = delete;

  /// Fails with one line if there is no such entry, or the terminal is too simple.
  Status load(const std::string& name);
  /// The bytes of a capability, with padding; empty if the terminal lacks it.
  std::string capability(const char* name) const;
  /// Below 0 if the terminal lacks it.
  int number(const char* name) const;
  /// How many colours to use there. `told_direct`: as in Look.
  Colours colours(bool told_direct) const;

 private:
  bool loaded_ = false;
};

struct Look {
  Theme theme = Theme::dark;
  Colours colours = Colours::detect;  // more than the entry has: drawn as for an xterm
  bool unicode = true;                // else characters beyond ASCII become "?"
  bool told_direct = false;           // the environment tells of 24-bit colour
};

/// The least size limit of a frame: drawing one cell takes fewer bytes on any terminal.
inline constexpr std::size_t frame_bytes_min = 256;
inline constexpr std::size_t frame_bytes_unlimited = std::numeric_limits<std::size_t>::max();

/// What a terminal shows. At most one at a time: ncurses 6.4 draws nothing more once another screen
/// is deleted. ncurses handles signals that nobody handles when the first one is opened.
class CursesScreen {
 public:
  /// `terminal`: the name of a terminfo entry that can be loaded.
  static Result<std::unique_ptr<CursesScreen>> open(const std::string& terminal, const Look& look);
  ~CursesScreen();
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;

  /// The bytes that turn the screen into the next frame, all of which must be written; empty if
  /// nothing differs. A frame that would exceed `bytes_max` (at least `frame_bytes_min`) is cut;
  /// then `whole` is false, and the next frame continues there.
  std::string paint(const Canvas& wanted, std::size_t bytes_max = frame_bytes_unlimited);
  /// Whether the last frame was not cut.
  bool whole() const;
  /// The screen's content is unknown from here on: the next frame clears it.
  void forget();

 private:
  struct State;
  explicit CursesScreen(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover::tui
