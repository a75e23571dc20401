// One table from keys to what they do. It drives the keys, the help page and the hint row, so that
// these always agree. Not in the table: the keys of an open prompt (tui/state/prompt.cpp), the
// answers to a confirmation and clicks (tui/dashboard_keys.cpp), and Ctrl-Z and the repainting on
// Ctrl-L (tui/terminal/terminal.cpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tui/state/ui_state.h"
#include "tui/terminal/key.h"

namespace drover::tui {

struct DashboardState;

struct Binding {
  void (*run)(DashboardState& state);
  ViewSet views;           // where it works
  std::string_view keys;   // names of Key, separated by blanks
  std::string_view shown;  // as the help page shows them: "j k"
  std::string_view hint;   // a word for the hint row; empty: not in it
  std::string_view help;   // a sentence for the help page
};

std::span<const Binding> bindings();

/// The binding of `key` in `view`; null if it has none.
const Binding* binding_of(const Key& key, ViewId view);
bool works_in(const Binding& binding, ViewId view);

/// The lines of the help page: keys, commands, reasons and symbols.
std::vector<HelpLine> help_lines();

}  // namespace drover::tui
