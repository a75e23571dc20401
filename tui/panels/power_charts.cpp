#include "tui/panels/power_charts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/series_chart.h"
#include "tui/model/power_forecast.h"
#include "tui/panels/metric_history.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr double scale_top_least = 10;   // of a chart's scale, so that its middle is whole
constexpr int legend_columns = 26;       // beside the chart
constexpr int legend_beside_least = 66;  // columns of the region from which on it is there
constexpr int watts_columns = 8, part_columns = 5;
constexpr double unassigned_least_w = 0.5;

/// A part of the stack: a pool, or what is left.
struct StackPart {
  std::string name;
  std::optional<std::size_t> pool;  // in Model::pools(); none: all that is in no other part
  double now_w = absent;
};

/// The pools by name, as far as there are signs for them, and what is left. A pool has the same
/// colour in each run, in whatever order the hosts join.
std::vector<StackPart> stack_parts(const FrameContext& frame, const Totals& totals) {
  const std::vector<PoolTotals> pools = pool_totals_of(frame.model, frame.now);
  const std::size_t count = frame.model.pools().size();
  const std::size_t shown = count < series_max ? count : series_max - 1;
  std::vector<StackPart> parts;
  for (std::size_t pool = 0; pool < count; ++pool) {
    parts.push_back({frame.model.pools()[pool], pool, pools[pool].own_w});
  }
  std::ranges::sort(parts, {}, &StackPart::name);
  parts.resize(shown);
  double rest = totals.power_w;
  for (const StackPart& part : parts) {
    if (!std::isnan(part.now_w)) rest -= part.now_w;
  }
  if (count > shown) {
    parts.push_back({fmt::format("{} more pools", count - shown), std::nullopt, rest});
  } else if (rest > unassigned_least_w || count == 0) {
    parts.push_back({"no pool", std::nullopt, rest});
  }
  return parts;
}

std::vector<StackPoint> stack_points(const FrameContext& frame,
                                     const std::vector<StackPart>& parts) {
  std::vector<StackPoint> points;
  for (const TrendPoint& point : frame.fleet_trend) {
    StackPoint stacked{point.at, point.lasts, {}};
    stacked.parts.fill(absent);
    double rest = point.power_w;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].pool) {
        stacked.parts[i] = rest > unassigned_least_w ? rest : absent;
      } else if (*parts[i].pool < point.pools.size()) {
        stacked.parts[i] = point.pools[*parts[i].pool].own_w;
        if (!std::isnan(stacked.parts[i])) rest -= stacked.parts[i];
      }
    }
    points.push_back(stacked);
  }
  return points;
}

/// Of the site, or of a pool.
double power_of(const TrendPoint& point, std::optional<std::size_t> pool) {
  if (!pool) return point.power_w;
  return *pool < point.pools.size() ? point.pools[*pool].power_w : absent;
}

std::optional<Duration> forecast(const FrameContext& frame, std::optional<std::size_t> pool,
                                 double cap_w) {
  const Duration looked_at =
      std::min(from_seconds(frame.options.speed * recent_points_s), Duration::max() / 4);
  std::vector<PowerPoint> points;
  // The points of single seconds: the forecast must not depend on the span that the charts show.
  for (const TrendPoint& point : frame.model.trend()) {
    if (frame.now - point.at > looked_at) continue;
    points.push_back({point.at, power_of(point, pool)});
  }
  return time_until_cap(points, cap_w);
}

/// "about 40 s", "about 4 min", "about 3 h".
std::string about_text(Duration until) {
  const double s = to_seconds(until);
  if (s < 90) return fmt::format("about {:.0f} s", std::max(5.0, 5 * std::round(s / 5)));
  if (s < 90 * 60) return fmt::format("about {:.0f} min", s / 60);
  return fmt::format("about {:.0f} h", s / 3600);
}

std::string against_cap(const Model& model, double watts, double cap_w) {
  std::string text = known_text(watts, watts_text);
  if (cap_w > 0) return fmt::format("{} of {}", text, watts_text(cap_w));
  if (model.policy()) text += ", no cap";
  return text;
}

std::string money_text(double dollars) {
  // The axis has six columns, so large sums are shown without cents.
  return dollars < 10 ? dollars_text(dollars) : "$" + count_text(std::round(dollars));
}

/// The values of one chart at a point of the trend; NaN if unknown.
struct ChartValue {
  double value = absent;
  double cap = absent;
};

/// A chart whose scale fits the shown values.
template <typename ValueOf>
MetricChart chart_of(const FrameContext& frame, std::string title, std::string_view limit,
                     ValueOf&& value_of, std::string (*text)(double)) {
  MetricChart metric;
  metric.title = std::move(title);
  double most = scale_top_least;
  std::vector<Instant> at;
  for (const TrendPoint& point : frame.fleet_trend) {
    const ChartValue value = value_of(point);
    at.push_back(point.at);
    metric.points.push_back({point.at, value.value, point.lasts});
    metric.line.push_back({point.at, value.cap, point.lasts});
    for (const double shown : {value.value, value.cap}) most = shown > most ? shown : most;
  }
  metric.chart.text = text;
  metric.chart.scale = scale_up_to(most);
  metric.chart.staleness_limit = staleness_limit(at, Duration(1));
  metric.chart.style = CellStyle::hot;
  metric.chart.missing = "not reported";
  if (metric.points.empty()) return metric;
  const double latest = metric.points.back().value, cap = metric.line.back().value;
  if (!std::isnan(latest)) metric.chart.latest = text(latest);
  if (!std::isnan(cap)) metric.chart.limit_label = fmt::format("{} {}", limit, text(cap));
  return metric;
}

/// The topmost part first, as in the chart.
void draw_legend(DrawRegion region, const std::vector<StackPart>& parts, double sum_w) {
  const int abreast = std::max(1, region.columns() / legend_columns);
  const int width = region.columns() / abreast - (abreast > 1 ? 1 : 0);
  const int name = width - 2 - watts_columns - part_columns;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int series = static_cast<int>(parts.size() - 1 - i);
    const StackPart& part = parts[static_cast<std::size_t>(series)];
    const int column = static_cast<int>(i) % abreast * (width + 1);
    const int row = static_cast<int>(i) / abreast;
    region.text(column, row, stack_sign(series, region.ascii()), series_style(series));
    region.field(column + 2, row, name, part.name);
    const bool known = !std::isnan(part.now_w);
    region.field(column + 2 + name, row, watts_columns, known_text(part.now_w, watts_text),
                 known ? CellStyle::plain : CellStyle::faint, Align::right);
    region.field(column + 2 + name + watts_columns, row, part_columns,
                 known && sum_w > 0 ? percent_text(part.now_w / sum_w) : "", CellStyle::faint,
                 Align::right);
  }
}

/// Where the parts of the panel are, relative to its corner.
struct StackLayout {
  Rect chart, legend;
};

StackLayout lay_out_stack(Size size, std::size_t parts) {
  StackLayout layout;
  // Below the heading and the line of the forecast, above the time axis.
  layout.chart = {0, 2, size.columns, size.rows - 3};
  if (size.columns >= legend_beside_least) {
    layout.chart.columns -= legend_columns + 2;
    layout.legend = {layout.chart.columns + 2, 2, legend_columns, layout.chart.rows};
    return layout;
  }
  const int abreast = std::max(1, size.columns / legend_columns);
  const int rows = (static_cast<int>(parts) + abreast - 1) / abreast;
  layout.chart.rows -= rows;
  layout.legend = {0, size.rows - rows, size.columns, rows};
  return layout;
}

/// The stack's scale, axis and line of the cap.
Chart stack_frame(const FrameContext& frame, const std::vector<ChartPoint>& caps,
                  const std::vector<Instant>& at, double cap_w) {
  Chart chart;
  double most = scale_top_least;
  for (const TrendPoint& point : frame.fleet_trend) {
    for (const double shown : {point.power_w, point.site_cap_w}) most = shown > most ? shown : most;
  }
  chart.line = caps;
  chart.scale = scale_up_to(most);
  chart.text = watts_text;
  chart.staleness_limit = staleness_limit(at, Duration(1));
  if (cap_w > 0) chart.limit_label = "site cap " + watts_text(cap_w);
  return chart;
}

}  // namespace

int power_stack_cells(int columns) {
  const Rect chart = lay_out_stack({columns, 0}, 1).chart;
  return chart.columns - value_axis_columns(chart.columns);
}

void draw_power_stack(const FrameContext& frame, DrawRegion region, const ChartSpan& span) {
  const Totals totals = totals_of(frame.model, frame.now);
  const double cap_w = frame.model.site_cap_w();
  const std::vector<StackPart> parts = stack_parts(frame, totals);
  const StackLayout layout = lay_out_stack({region.columns(), region.rows()}, parts.size());
  region.heading(0, frame.with_whole_fleet_note("Power by pool, " + span_note(span)),
                 against_cap(frame.model, totals.power_w, cap_w));
  if (const auto until = forecast(frame, std::nullopt, cap_w)) {
    region.field(
        0, 1, region.columns(),
        fmt::format("reaches the {} cap in {} at this rate", watts_text(cap_w), about_text(*until)),
        CellStyle::warm);
  }
  std::vector<Instant> at;
  std::vector<ChartPoint> caps;
  for (const TrendPoint& point : frame.fleet_trend) {
    at.push_back(point.at);
    caps.push_back({point.at, point.site_cap_w, point.lasts});
  }
  const int cells = power_stack_cells(region.columns());
  const TimeWindow window = window_of(frame.now, span.shown, cells);
  draw_stack(region, layout.chart, stack_points(frame, parts), stack_frame(frame, caps, at, cap_w),
             window);
  draw_time_axis(region, layout.chart.columns - cells, layout.chart.row + layout.chart.rows, cells,
                 window, time_labels(span));
  draw_legend(region.part(layout.legend), parts, totals.power_w);
}

std::vector<MetricChart> power_charts(const FrameContext& frame) {
  const bool filtered = frame.ui.fleet_filter.active();
  std::vector<MetricChart> charts;
  const std::vector<PoolTotals> pools = pool_totals_of(frame.model, frame.now);
  for (std::size_t pool = 0; pool < frame.model.pools().size(); ++pool) {
    const std::string& name = frame.model.pools()[pool];
    const auto value_of = [pool](const TrendPoint& point) {
      if (pool >= point.pools.size()) return ChartValue{};
      return ChartValue{point.pools[pool].power_w, point.pools[pool].cap_w};
    };
    charts.push_back(
        chart_of(frame, (filtered ? "whole " : "pool ") + name, "cap", value_of, watts_text));
    const double cap_w = frame.model.pool_cap_w(name);
    charts.back().note = against_cap(frame.model, pools[pool].power_w, cap_w);
    // As in the heading: the last point of the curve may be a second old.
    charts.back().chart.latest = known_text(pools[pool].power_w, watts_text);
    if (const auto until = forecast(frame, pool, cap_w)) {
      charts.back().note += fmt::format(", cap in {}", about_text(*until));
    }
  }
  const auto spend_of = [](const TrendPoint& point) {
    return ChartValue{point.spend_usd_per_h, point.budget_usd_per_h};
  };
  charts.push_back(chart_of(frame, filtered ? "fleet spend rate" : "spend rate", "budget", spend_of,
                            money_text));
  charts.back().note = spend_text(frame);
  charts.back().chart.style = CellStyle::accent;
  return charts;
}

const Summary* spend_sums(const FrameContext& frame) {
  const auto& summary = frame.model.summary();
  return summary && !frame.model.is_silent(frame.now) ? &*summary : nullptr;
}

std::string spend_text(const FrameContext& frame) {
  const Summary* const sums = spend_sums(frame);
  if (sums == nullptr) return std::string(not_known);
  const std::string spend = dollars_text(sums->spend_usd_per_h);
  return sums->budget_usd_per_h > 0
             ? fmt::format("{} of {}/h", spend, dollars_text(sums->budget_usd_per_h))
             : fmt::format("{}/h, no budget", spend);
}

}  // namespace drover::tui
