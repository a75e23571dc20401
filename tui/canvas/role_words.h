// What a terminal must be sent so that it shows a role: in its own words where its description
// knows colours, in xterm's where a person knows better. No terminal here.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "tui/canvas/palette.h"

namespace drover::tui {

/// What a terminal's description says of it.
struct DescribedTerminal {
  int colours = 0;
  /// The bytes of a capability ("setaf", "bold") with its parameter; empty when it has none.
  std::function<std::string(const char* name, int parameter)> ability;
};

/// The colours that the description promises, `none` where a person set NO_COLOR.
Colours detected_colours(const DescribedTerminal& terminal, bool no_colour);

/// One word per role, each of which switches from any other. REQUIRES that `colours` is not
/// `detect`.
std::array<std::string, role_count> role_words(const DescribedTerminal& terminal, Theme theme,
                                               Colours colours);

}  // namespace drover::tui
