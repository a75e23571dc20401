// What is being typed, on the lowest rows of the screen.
#pragma once

#include "tui/canvas/pen.h"
#include "tui/state/prompt.h"

namespace drover::tui {

/// On the last row of the pen's area; what is wrong, what Tab offers and what a yes would do stand
/// above it.
void draw_prompt(const Prompt& prompt, Pen pen);

/// Whole words, as many on a line as fit; a longer word runs over the edge.
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace drover::tui
