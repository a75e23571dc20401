#include "commands/validate/validation_page.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::size_t series_max = 9;  // colours; the last is for all further devices
constexpr std::size_t worst_max = 40;

constexpr std::string_view page_head = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Drover: predictions against measurements</title>
<style>
:root { color-scheme: light dark; --ink: #1d2126; --faint: #687078; --rule: #d9dde1; --paper: #ffffff;
  --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #b5478f; --s4: #a07800; --s5: #3b9dd8;
  --s6: #7a4fc4; --s7: #8a3b12; --s8: #8c949b; --good: #0a7a4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --faint: #9aa3ab; --rule: #353b41;
  --paper: #15181b; --s0: #4ba8e6; --s1: #ff8b4a; --s2: #2fc79a; --s3: #e58ac6; --s4: #e0b93a;
  --s5: #8fd0f7; --s6: #b79af0; --s7: #d08a66; --s8: #7d858c; --good: #4fc98f; --bad: #ff8a80; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1.5rem; max-width: 1180px; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
p, .faint { color: var(--faint); } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--rule);
  white-space: nowrap; }
th { color: var(--faint); font-weight: 600; } .n { text-align: right; }
.met { color: var(--good); font-weight: 600; } .missed { color: var(--bad); font-weight: 600; }
.plots { display: flex; flex-wrap: wrap; gap: 1.2rem; } figure { margin: 0; width: 380px; max-width: 100%; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: var(--faint); }
circle { fill-opacity: .65; } .grid { stroke: var(--rule); } .exact { stroke: var(--ink); }
.band { stroke: var(--faint); stroke-dasharray: 3 3; }
.key { display: inline-block; margin-right: 1rem; white-space: nowrap; }
.key i { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .35em; }
</style></head><body>
<h1>Predictions against measurements</h1>
<p>Each measurement is predicted from its inputs alone. Errors are relative to the measured value
unless they have a unit; bias is above zero if predictions are too high.</p>
)html";

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

using Cells = std::vector<std::string>;  // "text", or ">text" for a right-aligned figure

std::string cell(const std::string& tag, const std::string& text) {
  if (text.starts_with('>')) {
    return fmt::format(R"(<{} class="n">{}</{}>)", tag, html_text(text.substr(1)), tag);
  }
  if (text == "met" || text == "missed") {
    return fmt::format(R"(<{} class="{}">{}</{}>)", tag, text, text, tag);
  }
  return fmt::format("<{}>{}</{}>", tag, html_text(text), tag);
}

std::string table(const Cells& headings, const std::vector<Cells>& rows) {
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& heading : headings) html += cell("th", heading);
  html += "</tr></thead><tbody>\n";
  for (const Cells& row : rows) {
    html += "<tr>";
    for (const std::string& text : row) html += cell("td", text);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

const Cells statistics_headings = {">rows", ">mean", ">median", ">90th percentile", ">bias"};

void add_statistics(Cells& row, const ErrorClass& error_class, const Statistics& of) {
  row.push_back(fmt::format(">{}", of.rows));
  row.push_back(">" + distance_text(error_class, goal_value(error_class, of), false));
  row.push_back(">" + distance_text(error_class, of.median, false));
  row.push_back(">" + distance_text(error_class, of.p90, false));
  row.push_back(">" + distance_text(error_class, of.bias, true));
}

std::string classes_section(const ValidationReport& report) {
  Cells headings = {"class"};
  headings.insert(headings.end(), statistics_headings.begin(), statistics_headings.end());
  headings.insert(headings.end(), {">goal", "", "published by others"});
  std::vector<Cells> rows;
  for (const Group& group : by_class(report.comparisons)) {
    const ErrorClass& error_class = *find_class(group.class_id);
    Cells row = {std::string(error_class.title)};
    add_statistics(row, error_class, group.statistics);
    row.push_back(error_class.goal > 0 ? ">" + distance_text(error_class, error_class.goal, false)
                                       : "");
    row.emplace_back(goal_status(error_class, group.statistics));
    row.emplace_back(error_class.published_error);
    rows.push_back(std::move(row));
  }
  return "<h2>Classes and goals</h2>\n" + table(headings, rows);
}

std::string groups_table(const std::string& name, const std::vector<Group>& groups,
                         const ErrorClass& error_class) {
  Cells headings = {name};
  headings.insert(headings.end(), statistics_headings.begin(), statistics_headings.end());
  std::vector<Cells> rows;
  for (const Group& group : groups) {
    if (group.class_id != error_class.id) continue;
    Cells row = {group.name};
    add_statistics(row, error_class, group.statistics);
    rows.push_back(std::move(row));
  }
  return table(headings, rows);
}

/// The devices of a class, those with most rows first. The index of a device is its colour.
std::vector<std::string> series_of(const std::vector<const Comparison*>& comparisons) {
  std::map<std::string, std::size_t> counts;
  for (const Comparison* of : comparisons) ++counts[of->device];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const auto& entry) { return entry.second; });
  std::vector<std::string> names;
  for (auto& [name, count] : sorted) names.push_back(std::move(name));
  return names;
}

std::string colour_key(const std::vector<std::string>& devices) {
  std::string html = "<p>";
  for (std::size_t i = 0; i < std::min(devices.size(), series_max); ++i) {
    const bool rest = i + 1 == series_max && devices.size() > series_max;
    html += fmt::format(R"svg(<span class="key"><i style="background:var(--s{})"></i>{}</span>)svg",
                        i, rest ? "all others" : html_text(devices[i]));
  }
  return html + "</p>\n";
}

std::string plots(const ErrorClass& error_class, const std::vector<const Comparison*>& comparisons,
                  const std::vector<std::string>& devices) {
  std::map<std::string, std::vector<PlotPoint>> by_unit;
  for (const Comparison* of : comparisons) {
    const auto location = std::ranges::find(devices, of->device) - devices.begin();
    by_unit[of->unit].push_back(
        {of->measured, of->predicted, std::min(static_cast<std::size_t>(location), series_max - 1),
         fmt::format("{}: {} ({}): measured {:.4g}, predicted {:.4g} {}", of->device, of->label,
                     of->location, of->measured, of->predicted, of->unit)});
  }
  const double band = error_class.distance == DistanceKind::relative ? error_class.goal : 0;
  std::string html = "<div class=\"plots\">";
  for (const auto& [unit, points] : by_unit) {
    html += "<figure>" + plot_svg(points, unit, band) + "</figure>\n";
  }
  return html + "</div>\n";
}

std::string class_section(const ValidationReport& report, const ErrorClass& error_class,
                          const std::vector<Group>& sources, const std::vector<Group>& devices) {
  std::vector<const Comparison*> own;
  for (const Comparison& of : report.comparisons) {
    if (of.class_id == error_class.id) own.push_back(&of);
  }
  if (own.empty()) return "";
  const std::vector<std::string> series = series_of(own);
  std::string html = fmt::format("<h2>{}</h2>\n", html_text(error_class.title));
  html += colour_key(series) + plots(error_class, own, series);
  return html + groups_table("source", sources, error_class) +
         groups_table("device", devices, error_class);
}

std::string worst_section(const ValidationReport& report) {
  std::vector<Cells> rows;
  for (const Comparison* of : worst_cases(report.comparisons, worst_max)) {
    const ErrorClass& error_class = *find_class(of->class_id);
    rows.push_back({of->class_id, of->device,
                    ">" + distance_text(error_class, distance(*of, error_class.distance), true),
                    fmt::format(">{:.4g}", of->measured), fmt::format(">{:.4g}", of->predicted),
                    of->unit, of->label, of->location});
  }
  return "<h2>Worst cases</h2>\n" +
         table({"class", "device", ">error", ">measured", ">predicted", "unit", "case", "row"},
               rows);
}

std::string contradictions_section(const ValidationReport& report) {
  std::vector<Cells> rows;
  for (const Contradiction& of : contradictions(report.comparisons)) {
    rows.push_back({of.low->class_id, of.low->device, fmt::format(">{:.2f}", of.ratio),
                    fmt::format(">{:.4g}", of.low->measured),
                    fmt::format(">{:.4g}", of.high->measured), of.low->unit, of.low->label,
                    of.low->location, of.high->location});
  }
  if (rows.empty()) return "";
  return "<h2>Contradictions</h2>\n<p>The same case measured more than once, more than 15 % apart. "
         "No prediction can match both; values are not averaged.</p>\n" +
         table({"class", "device", ">ratio", ">low", ">high", "unit", "case", "low in", "high in"},
               rows);
}

std::string coverage_section(const ValidationReport& report) {
  Cells headings = {"device"};
  for (const ErrorClass& error_class : error_classes()) {
    headings.push_back(">" + std::string(error_class.id));
  }
  std::vector<Cells> rows;
  for (const Coverage& of : coverage(report)) {
    Cells row = {of.device};
    for (const std::size_t count : of.rows) {
      row.push_back(count > 0 ? fmt::format(">{}", count) : ">-");
    }
    rows.push_back(std::move(row));
  }
  return "<h2>Rows per device and class</h2>\n<p>-: no public measurement.</p>\n" +
         table(headings, rows);
}

std::string left_out_section(const ValidationReport& report) {
  if (report.left_out.empty()) return "";
  std::vector<Cells> rows;
  for (const LeftOutReason& reason : left_out_reasons(report.left_out)) {
    rows.push_back({fmt::format(">{}", reason.rows), reason.text, reason.locations});
  }
  return "<h2>Rows left out</h2>\n" + table({">rows", "reason", "location"}, rows);
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

std::string validation_page(const ValidationReport& report) {
  std::string html(page_head);
  html += classes_section(report);
  const auto sources = by_source(report.comparisons);
  const auto devices = by_device(report.comparisons);
  for (const ErrorClass& error_class : error_classes()) {
    html += class_section(report, error_class, sources, devices);
  }
  html += worst_section(report) + contradictions_section(report) + coverage_section(report) +
          left_out_section(report);
  return html + "</body></html>\n";
}

}  // namespace drover::commands
