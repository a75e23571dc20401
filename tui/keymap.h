// One table from keys to what they do. It drives the keys, the help page and the hint row, so that
// these always agree. Not in the table: the keys of an open prompt (tui/state/prompt.cpp), the
// answers to a confirmation and clicks (tui/dashboard_keys.cpp), and Ctrl-Z and the repainting on
// Ctrl-L (tui/terminal/terminal.cpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tui/state/ui_state.h"
#include "tui/state/view_help.h"
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

/// Some keys in one line of a view's help.
struct KeyLine {
  std::string_view keys;   // names of Key, separated by blanks
  std::string_view shown;  // "j k"; empty: the keys are in no line
  std::string_view text;   // empty: the hint of the first key's binding
  ViewSet views = in_every_view;
};
/// The longest `text`: two columns fit on a screen of 80.
inline constexpr int key_line_columns = 26;

std::vector<KeyLine> key_lines();
/// What the help page says about a view (view_help.cpp).
ViewHelp view_help(ViewId view);

/// Whether the key is the user's own choice of what to see, so that the screen no longer follows
/// the demo's story.
bool takes_over(const Binding& binding);

/// The lines of the help page: keys, commands, reasons and symbols.
std::vector<HelpLine> help_lines();

}  // namespace drover::tui
