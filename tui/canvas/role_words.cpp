#include "tui/canvas/role_words.h"

namespace drover::tui {
namespace {

Colours described(const DescribedTerminal& terminal) {
  if (terminal.colours < 8 || terminal.ability("setaf", 0).empty()) return Colours::none;
  return terminal.colours >= 256 ? Colours::many : Colours::eight;
}

std::string own_word(const DescribedTerminal& terminal, Role role, Theme theme, Colours colours) {
  const RoleColours& row = colours_of(role, theme);
  const unsigned look = colours == Colours::none ? facts(role).look_mono : row.look;
  std::string text = terminal.ability("sgr0", 0);
  // No line-drawing characters are ever switched on, so they need not be switched off.
  if (text.starts_with("\x1b(B")) text.erase(0, 3);
  if (text.ends_with('\x0f')) text.pop_back();
  if (look & look_bold) text += terminal.ability("bold", 0);
  if (look & look_dim) text += terminal.ability("dim", 0);
  if (look & look_reverse) text += terminal.ability("rev", 0);
  if (colours == Colours::none) return text;
  const int ink = colours == Colours::many ? row.ink_256 : row.ink_8;
  const int ground = colours == Colours::many ? row.ground_256 : row.ground_8;
  if (ink >= 0) text += terminal.ability("setaf", ink);
  if (ground >= 0) text += terminal.ability("setab", ground);
  return text;
}

}  // namespace

Colours detected_colours(const DescribedTerminal& terminal, bool no_colour) {
  return no_colour ? Colours::none : described(terminal);
}

std::array<std::string, role_count> role_words(const DescribedTerminal& terminal, Theme theme,
                                               Colours colours) {
  std::array<std::string, role_count> words;
  for (int i = 0; i < role_count; ++i) {
    const auto role = static_cast<Role>(i);
    // Who asks for more than the description has knows a terminal that is better than its name.
    words[static_cast<std::size_t>(i)] = colours > described(terminal)
                                             ? ansi_of(role, theme, colours)
                                             : own_word(terminal, role, theme, colours);
  }
  return words;
}

}  // namespace drover::tui
