// The input line, on the lowest rows of the screen.
#pragma once

#include "tui/canvas/draw_region.h"
#include "tui/state/prompt.h"

namespace drover::tui {

/// Draws the line on the last row of the region. Errors, completions and the question of a
/// confirmation are above it.
void draw_prompt(const Prompt& prompt, DrawRegion region);

/// Wraps text at words; a word longer than `width` has a line of its own and is not cut.
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace drover::tui
