// Load, power and queue of the whole fleet over time, above one time axis.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/chart.h"
#include "tui/canvas/layout.h"
#include "tui/panels/metric_history.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int rows_with_axis = 10;

struct Curve {
  std::string_view title;
  double TrendPoint::*value;
  double TrendPoint::*limit;  // null: it has none
  std::string (*text)(double);
  double top_least;  // of the scale
  CellStyle style;
};
constexpr std::array<Curve, 3> curves = {{
    {"Load", &TrendPoint::utilization, nullptr, percent_text, 1, CellStyle::good},
    {"Power", &TrendPoint::power_w, &TrendPoint::site_cap_w, watts_text, 10, CellStyle::hot},
    {"Queued jobs", &TrendPoint::queued, nullptr, count_text, 4, CellStyle::accent},
}};

/// The numbers are current, as in the panels above; the last point may be a second old.
std::string now_text(const FrameContext& frame, const Curve& curve, const Totals& totals) {
  if (curve.value == &TrendPoint::utilization) return percent_text(totals.utilization);
  if (curve.value == &TrendPoint::power_w) return known_text(totals.power_w, watts_text);
  const auto& summary = frame.model.summary();
  return summary ? count_text(static_cast<double>(summary->queued)) : std::string(not_known);
}

int curve_cells(int columns) { return columns - value_axis_columns(columns); }

void draw_curve(const FrameContext& frame, DrawRegion& region, const Curve& curve,
                const TimeWindow& window, const std::string& latest) {
  std::vector<ChartPoint> values, limits;
  std::vector<Instant> at;
  double most = curve.top_least;
  for (const TrendPoint& point : frame.fleet_trend) {
    at.push_back(point.at);
    values.push_back({point.at, point.*curve.value, point.lasts});
    if (values.back().value > most) most = values.back().value;
    if (curve.limit == nullptr) continue;
    limits.push_back({point.at, point.*curve.limit, point.lasts});
    if (limits.back().value > most) most = limits.back().value;
  }
  Chart chart;
  chart.area = values;
  chart.line = limits;
  chart.text = curve.text;
  chart.scale = scale_up_to(most);
  chart.style = curve.style;
  chart.staleness_limit = staleness_limit(at, Duration(1));
  chart.latest = latest;
  chart.missing = "no device reports it";
  const double limit = limits.empty() ? absent : limits.back().value;
  if (!std::isnan(limit)) chart.limit_label = "site cap " + curve.text(limit);
  draw_chart(region, {0, 1, region.columns(), region.rows() - 1}, chart, window);
}

}  // namespace

ChartRange fleet_chart_range(const FrameContext& frame, int columns) {
  const ChartSpan span = fleet_chart_span(frame);
  const int cells = curve_cells(columns);
  const TimeWindow window = window_of(frame.now, span.shown, cells);
  return {window.begin(cells), window.bin, span};
}

void draw_fleet_charts(const FrameContext& frame, DrawRegion region, const Totals& shown) {
  const bool filtered = frame.ui.fleet_filter.active();
  const Totals totals = filtered ? totals_of(frame.model, frame.now) : shown;
  const ChartSpan span = fleet_chart_span(frame);
  const int cells = curve_cells(region.columns());
  const TimeWindow window = window_of(frame.now, span.shown, cells);
  Rect area = region.area();
  if (region.rows() >= rows_with_axis) {
    --area.rows;
    draw_time_axis(region, region.columns() - cells, area.rows, cells, window, time_labels(span));
  }
  const std::vector<Rect> rects = cut_rows(area, std::vector(curves.size(), SizeHint{3, 60, 1}));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (rects[i].rows == 0) continue;
    DrawRegion part = region.on(rects[i]);
    std::string title = frame.with_whole_fleet_note(std::string(curves[i].title));
    if (i == 0) title += ", " + span_note(span);
    const std::string latest = now_text(frame, curves[i], totals);
    part.heading(0, title, latest);
    draw_curve(frame, part, curves[i], window, latest);
  }
}

}  // namespace drover::tui
