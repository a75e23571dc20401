// The page of `drover validate --html`: one file without scripts, for light and dark screens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commands/validate/validation_report.h"

namespace drover::commands {

/// One point of a plot. The page defines the colours: series N is drawn in `var(--sN)`.
struct PlotPoint {
  double measured = 0;   // not drawn unless above zero
  double predicted = 0;  // not drawn unless above zero
  std::size_t series = 0;
  std::string title;  // tooltip
};

/// Plots predicted against measured values on logarithmic axes, as SVG without scripts. The
/// diagonal is exact agreement; the thin lines beside it are `band` away (0.1: ten percent).
std::string plot_svg(const std::vector<PlotPoint>& points, const std::string& unit, double band);

std::string validation_page(const ValidationReport& report);

}  // namespace drover::commands
