// A figure of the device view in full: what it says, the formula and the numbers behind it, where
// those come from, and how far such figures are from what others measured.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/pen.h"
#include "tui/model/figures.h"

namespace drover::tui {

struct FigureLine {
  std::string text;
  Role role = Role::plain;
};

/// Cut to so many columns.
std::vector<FigureLine> figure_lines(const Figure& figure, const SpecFacts& facts, int columns);

/// Heading with the value, and the lines from `top` on.
void draw_figure_panel(Pen pen, const Figure& figure, std::string_view value,
                       const std::vector<FigureLine>& lines, int top);

}  // namespace drover::tui
