// How tables look on standard output: colours and the width of the terminal, only on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "commands/shell/options.h"
#include "commands/shell/table.h"

namespace drover::commands {

/// `--colour auto|always|never`.
Option colour_option();

/// What decides the style.
struct OutputFacts {
  bool terminal = false;    // standard output is one
  bool no_colour = false;   // $NO_COLOR is set and not empty, or $TERM is "dumb"
  std::size_t columns = 0;  // of the terminal; 0: not known
};
/// `mode`: auto, always or never.
TableStyle table_style(std::string_view mode, const OutputFacts& facts);

/// The style for standard output. Adds a problem for a wrong --colour.
TableStyle read_table_style(Arguments& arguments);

/// Zeros if the descriptor is no terminal.
struct TerminalSize {
  std::size_t columns = 0, rows = 0;
};
TerminalSize terminal_size(int descriptor);

/// The lines wrapped to the width of the terminal on this descriptor; unchanged if it is none, so
/// that programs read whole lines.
std::string wrapped_for_terminal(const std::string& lines, int descriptor);

}  // namespace drover::commands
