#include "tui/terminal/terminal_description.h"

#include <algorithm>

#include "tui/terminal/colour_support.h"
#include "tui/terminal/curses_screen.h"

namespace drover::tui {

TerminalDescription describe_terminal(const std::string& term) {
  if (term.empty()) return {"TERM is not set", 0};
  TerminfoEntry entry;
  if (const auto loaded = entry.load(term); !loaded) return {loaded.error().message, 0};
  return {"", std::max(0, entry.number("colors")),
          entry.colours(environment_tells_direct_colour()) == Colours::direct};
}

}  // namespace drover::tui
