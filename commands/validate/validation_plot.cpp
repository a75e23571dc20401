#include "commands/validate/validation_plot.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr double plot_size = 340;   // edge of the square, in units of the view box
constexpr double margin_left = 52;  // for the figures of the axes
constexpr double margin_top = 8;
constexpr double margin_bottom = 40;

/// Both axes show the same whole decades.
struct Decades {
  int low = 0;
  int high = 1;

  double x(double value) const { return margin_left + share(value) * plot_size; }
  double y(double value) const { return margin_top + (1 - share(value)) * plot_size; }
  double share(double value) const { return (std::log10(value) - low) / (high - low); }
};

bool drawn(const PlotPoint& point) {
  return point.measured > 0 && point.predicted > 0 && std::isfinite(point.measured) &&
         std::isfinite(point.predicted);
}

std::optional<Decades> decades_of(const std::vector<PlotPoint>& points) {
  double low = 0, high = 0;
  for (const PlotPoint& point : points) {
    if (!drawn(point)) continue;
    const auto [least, most] = std::minmax(point.measured, point.predicted);
    low = low > 0 ? std::min(low, least) : least;
    high = std::max(high, most);
  }
  if (!(low > 0)) return std::nullopt;
  Decades decades{static_cast<int>(std::floor(std::log10(low))),
                  static_cast<int>(std::ceil(std::log10(high)))};
  if (decades.high == decades.low) ++decades.high;
  return decades;
}

/// "0.01", "100", "1e6": short enough for an axis.
std::string power_of_ten(int exponent) {
  if (exponent < -3 || exponent > 4) return fmt::format("1e{}", exponent);
  return fmt::format("{}", std::pow(10.0, exponent));
}

std::string line(const char* look, double x1, double y1, double x2, double y2) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", look,
                     x1, y1, x2, y2);
}

std::string grid(const Decades& decades) {
  const double right = margin_left + plot_size, bottom = margin_top + plot_size;
  const int step = (decades.high - decades.low + 7) / 8;  // at most eight figures on an axis
  std::string svg;
  for (int exponent = decades.low; exponent <= decades.high; exponent += step) {
    const double value = std::pow(10.0, exponent);
    const double x = decades.x(value), y = decades.y(value);
    svg += line("grid", x, margin_top, x, bottom) + line("grid", margin_left, y, right, y);
    svg += fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text><text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
        x, bottom + 14, power_of_ten(exponent), margin_left - 5, y + 4, power_of_ten(exponent));
  }
  return svg;
}

/// A line on which predicted is `factor` times measured, cut at the edges of the plot.
std::string ratio_line(const Decades& decades, const char* look, double factor) {
  const double low = std::pow(10.0, decades.low), high = std::pow(10.0, decades.high);
  const double from = factor < 1 ? low / factor : low;
  const double to = factor > 1 ? high / factor : high;
  if (from >= to) return "";
  return line(look, decades.x(from), decades.y(from * factor), decades.x(to),
              decades.y(to * factor));
}

std::string axis_names(const std::string& unit) {
  const double middle = margin_left + plot_size / 2, across = margin_top + plot_size / 2;
  return fmt::format(
      R"svg(<text x="{0:.0f}" y="{1:.0f}" text-anchor="middle">measured, {3}</text><text x="12" y="{2:.0f}" text-anchor="middle" transform="rotate(-90 12 {2:.0f})">predicted, {3}</text>)svg",
      middle, margin_top + plot_size + 32, across, html_text(unit));
}

}  // namespace

std::string plot_svg(const std::vector<PlotPoint>& points, const std::string& unit, double band) {
  const auto decades = decades_of(points);
  if (!decades) return "";
  std::string svg = fmt::format(
      R"(<svg viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="predicted against measured, {}">)",
      margin_left + plot_size + 12, margin_top + plot_size + margin_bottom, html_text(unit));
  svg += grid(*decades) + ratio_line(*decades, "exact", 1);
  if (band > 0 && band < 1) {
    svg += ratio_line(*decades, "band", 1 + band) + ratio_line(*decades, "band", 1 - band);
  }
  for (const PlotPoint& point : points) {
    if (!drawn(point)) continue;
    svg += fmt::format(
        R"svg(<circle cx="{:.1f}" cy="{:.1f}" r="2.4" fill="var(--s{})"><title>{}</title></circle>)svg",
        decades->x(point.measured), decades->y(point.predicted), point.series,
        html_text(point.title));
  }
  return svg + axis_names(unit) + "</svg>\n";
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char character : valid_utf8(text)) {
    switch (character) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

}  // namespace drover::commands
