#include "tui/canvas/style_sequences.h"

namespace drover::tui {
namespace {

Colours colours_in(const TerminfoEntry& terminal) {
  if (terminal.colours < 8 || terminal.capability("setaf", 0).empty()) return Colours::none;
  return terminal.colours >= 256 ? Colours::many : Colours::eight;
}

std::string own_sequence(const TerminfoEntry& terminal, CellStyle style, Theme theme,
                         Colours colours) {
  const CellStyleColours& row = colours_of(style, theme);
  const unsigned attributes =
      colours == Colours::none ? facts(style).mono_attributes : row.attributes;
  std::string text = terminal.capability("sgr0", 0);
  // Line-drawing characters are never switched on, so they need not be switched off.
  if (text.starts_with("\x1b(B")) text.erase(0, 3);
  if (text.ends_with('\x0f')) text.pop_back();
  if (attributes & attribute_bold) text += terminal.capability("bold", 0);
  if (attributes & attribute_dim) text += terminal.capability("dim", 0);
  if (attributes & attribute_reverse) text += terminal.capability("rev", 0);
  if (colours == Colours::none) return text;
  const int foreground = colours == Colours::many ? row.foreground_256 : row.foreground_8;
  const int background = colours == Colours::many ? row.background_256 : row.background_8;
  if (foreground >= 0) text += terminal.capability("setaf", foreground);
  if (background >= 0) text += terminal.capability("setab", background);
  return text;
}

}  // namespace

Colours detected_colours(const TerminfoEntry& terminal, bool no_colour) {
  return no_colour ? Colours::none : colours_in(terminal);
}

std::array<std::string, cell_style_count> style_sequences(const TerminfoEntry& terminal,
                                                          Theme theme, Colours colours) {
  std::array<std::string, cell_style_count> sequences;
  for (int i = 0; i < cell_style_count; ++i) {
    const auto style = static_cast<CellStyle>(i);
    // Colours beyond the entry were requested by the user, whose terminal is better than its entry.
    sequences[static_cast<std::size_t>(i)] = colours > colours_in(terminal)
                                                 ? ansi_of(style, theme, colours)
                                                 : own_sequence(terminal, style, theme, colours);
  }
  return sequences;
}

}  // namespace drover::tui
