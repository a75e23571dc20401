// Plots predicted against measured values on logarithmic axes, as SVG without scripts. The page
// defines the colours: series N is drawn in `var(--sN)`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::commands {

struct PlotPoint {
  double measured = 0;   // not drawn unless above zero
  double predicted = 0;  // not drawn unless above zero
  std::size_t series = 0;
  std::string title;  // tooltip
};

/// The diagonal is exact agreement; the thin lines beside it are `band` away (0.1: ten percent).
std::string plot_svg(const std::vector<PlotPoint>& points, const std::string& unit, double band);

/// Escapes text for use between tags and in quoted attributes.
std::string html_text(std::string_view text);

}  // namespace drover::commands
