// The details of a metric of the device view: its meaning, formula and constants with sources, and
// the error of such values against published measurements.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/model/metric_formulas.h"

namespace drover::tui {

struct FormulaLine {
  std::string text;
  CellStyle style = CellStyle::plain;
};

/// Wrapped to `columns`.
std::vector<FormulaLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                       int columns);

/// Draws a heading with the value, and the lines from `top` on.
void draw_formula_panel(DrawRegion region, const MetricFormula& figure, std::string_view value,
                        const std::vector<FormulaLine>& lines, int top);

}  // namespace drover::tui
