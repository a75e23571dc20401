// The lines of the help page: keys and commands (from their tables), reasons and symbols.
#pragma once

#include <vector>

#include "tui/views/help_view.h"

namespace drover::tui {

std::vector<HelpLine> help_lines();

}  // namespace drover::tui
