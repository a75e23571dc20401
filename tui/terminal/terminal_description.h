// What the terminal database (terminfo) and $COLORTERM have about a kind of terminal, without using
// the terminal.
#pragma once

#include <string>

namespace drover::tui {

struct TerminalDescription {
  std::string problem;  // why the dashboard cannot draw there; empty: it can
  int colours = 0;
  bool direct_colour = false;  // 24 bits, by the database or $COLORTERM
};

/// `term`: the value of $TERM. REQUIRES that no Terminal is open.
TerminalDescription describe_terminal(const std::string& term);

}  // namespace drover::tui
