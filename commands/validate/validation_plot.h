// Predicted against measured on logarithmic axes, as SVG text that needs no script. Colours come
// from the page: series N is drawn in `var(--sN)`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace drover::commands {

struct PlotPoint {
  double measured = 0;   // above zero, else it is not drawn
  double predicted = 0;  // above zero, else it is not drawn
  std::size_t series = 0;
  std::string title;  // shown under the pointer
};

/// The diagonal is exact agreement; the thin lines beside it are `band` away (0.1: ten percent).
std::string plot_svg(const std::vector<PlotPoint>& points, const std::string& unit, double band);

/// Text made safe between tags and inside quoted attributes.
std::string html_text(std::string_view text);

}  // namespace drover::commands
