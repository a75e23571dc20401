// The sequences that switch a terminal to a cell style: from its terminfo entry, or xterm's if the
// user asked for more colours than the entry has. Needs no terminal.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "tui/canvas/palette.h"

namespace drover::tui {

/// A terminal's terminfo entry.
struct TerminfoEntry {
  int colours = 0;
  /// The bytes of a capability ("setaf", "bold") with its parameter; empty if it has none.
  std::function<std::string(const char* name, int parameter)> capability;
};

/// The colours of the terminfo entry, or `none` if NO_COLOR is set.
Colours detected_colours(const TerminfoEntry& terminal, bool no_colour);

/// One sequence per cell style, which switches to it from any other. REQUIRES that `colours` is not
/// `detect`.
std::array<std::string, cell_style_count> style_sequences(const TerminfoEntry& terminal,
                                                          Theme theme, Colours colours);

}  // namespace drover::tui
