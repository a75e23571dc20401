// Watts against caps and spending against the budget over time; beside them what energy and money
// went into, and which devices are hot or slowed. Scrolls as one page where the screen is low.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/device/device_charts.h"
#include "tui/panels/cost_panel.h"
#include "tui/panels/panels.h"
#include "tui/panels/slowed_panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int wide_columns = 100;  // from here on, lists stand beside the charts
constexpr int roomy_columns = 160;
constexpr int slowed_rows_least = 6;
constexpr int power_gap = 2;
constexpr int chart_rows_more = 12;
constexpr double least_top = 10;  // of a chart: below, its middle would not be a whole number

struct Page {
  std::vector<Rect> charts;  // the site, each pool, dollars per hour
  Rect costs, held, hottest, slowed;
  int rows = 0;
};

/// `least_rows`: what there is to fill.
Page lay_out_page(const Model& model, int columns, int least_rows) {
  Page page;
  const bool beside = columns >= wide_columns;
  const int lists = beside ? std::min(72, columns * 2 / 5) : columns;
  const int left = beside ? columns - lists - power_gap : columns;
  const int width = (left - power_gap) / 2;
  const int count = static_cast<int>(model.pools().size()) + 2;
  const int lines = (count + 1) / 2;
  int rows = columns < wide_columns ? 6 : columns < roomy_columns ? 7 : 9;
  // What is left over makes them higher: two rows at a time keep their middle.
  if (beside) rows += std::clamp(least_rows / lines - rows, 0, chart_rows_more) / 2 * 2;
  const int top = beside ? 0 : cost_panel_rows;
  for (int i = 0; i < count; ++i) {
    const int own = i % 2 == 0 ? width : left - width - power_gap;
    page.charts.push_back({i % 2 * (width + power_gap), top + i / 2 * rows, own, rows});
  }
  const int bottom = top + lines * rows;
  const int list_column = beside ? left + power_gap : 0;
  page.costs = {list_column, 0, lists, cost_panel_rows};
  page.held = {list_column, beside ? cost_panel_rows : bottom, lists, held_panel_rows};
  page.hottest = {list_column, page.held.row + held_panel_rows, lists, hottest_most + 1};
  const int slowed = page.hottest.row + page.hottest.rows;
  page.slowed = {list_column, slowed, lists, std::max(slowed_rows_least, least_rows - slowed)};
  page.rows = std::max(bottom, page.slowed.row + page.slowed.rows);
  return page;
}

const PoolLimits* limits_of(const Model& model, const std::string& pool) {
  if (!model.policy()) return nullptr;
  for (const PoolLimits& limits : model.policy()->pools) {
    if (limits.name == pool) return &limits;
  }
  return nullptr;
}

double site_cap_w(const Model& model) {
  return model.policy() ? model.policy()->site_power_cap_w : 0;
}

std::string against_cap(const Model& model, double watts, double cap_w) {
  std::string text = known_text(watts, watts_text);
  if (cap_w > 0) return fmt::format("{} of {}", text, watts_text(cap_w));
  if (model.policy()) text += ", no cap";
  return text;
}

std::string spending_text(const Scene& scene) {
  const auto& summary = scene.model.summary();
  // A router that tells no pools is older than all it could tell of spending.
  const bool told = summary && !summary->pools.empty() && !scene.model.is_silent(scene.now);
  if (!told) return std::string(not_known);
  const double budget = summary->budget_usd_per_h;
  const std::string spend = dollars_text(summary->spend_usd_per_h);
  return budget > 0 ? fmt::format("{} of {}/h", spend, dollars_text(budget))
                    : fmt::format("{}/h, no budget", spend);
}

std::string money_text(double dollars) {
  // For an axis of six columns, cents of large sums are left out.
  return dollars < 10 ? dollars_text(dollars) : "$" + count_text(std::round(dollars));
}

/// What a point of the trend tells of one chart; NaN where it tells nothing.
struct Told {
  double value = absent;
  double cap = absent;
};

/// The scale is that of what is shown.
template <typename Tell>
MetricChart chart_of(const Scene& scene, std::string title, Tell&& tell,
                     std::string (*text)(double)) {
  MetricChart metric;
  metric.title = std::move(title);
  double most = least_top;
  std::vector<Instant> at;
  for (const TrendPoint& point : scene.curves) {
    const Told told = tell(point);
    at.push_back(point.at);
    metric.points.push_back({point.at, told.value});
    metric.line.push_back({point.at, told.cap});
    for (const double shown : {told.value, told.cap}) most = shown > most ? shown : most;
  }
  metric.chart.text = text;
  metric.chart.scale = scale_up_to(most);
  metric.chart.holds = stands_for(at, window_of(scene, 1'000).bin);
  metric.chart.role = Role::hot;
  return metric;
}

/// Curves are of the past, which no filter narrows: their titles say so, and their notes count all.
std::vector<MetricChart> charts_of(const Scene& scene) {
  const bool narrowed = scene.choices.narrowing.active();
  const Totals totals = totals_of(scene.model, scene.now);
  std::vector<MetricChart> charts;
  const auto add = [&](std::string title, auto&& tell, std::string (*text)(double)) {
    charts.push_back(chart_of(scene, std::move(title), tell, text));
  };
  add(
      narrowed ? "whole site" : "site",
      [](const TrendPoint& point) {
        return Told{point.power_w, point.site_cap_w};
      },
      watts_text);
  charts.back().note = against_cap(scene.model, totals.power_w, site_cap_w(scene.model));
  const std::vector<PoolTotals> pools = pool_totals_of(scene.model, scene.now);
  for (std::size_t pool = 0; pool < scene.model.pools().size(); ++pool) {
    const std::string& name = scene.model.pools()[pool];
    const auto tell = [pool](const TrendPoint& point) {
      if (pool >= point.pools.size()) return Told{};
      return Told{point.pools[pool].power_w, point.pools[pool].cap_w};
    };
    add((narrowed ? "whole " : "pool ") + name, tell, watts_text);
    const PoolLimits* limits = limits_of(scene.model, name);
    charts.back().note =
        against_cap(scene.model, pools[pool].power_w, limits == nullptr ? 0 : limits->power_cap_w);
  }
  add(
      narrowed ? "all spending" : "spending",
      [](const TrendPoint& point) {
        return Told{point.spend_usd_per_h, point.budget_usd_per_h};
      },
      money_text);
  charts.back().note = spending_text(scene);
  charts.back().chart.role = Role::accent;
  return charts;
}

int zoom_of(const Scene& scene) {
  return zoom_factors[static_cast<std::size_t>(scene.choices.zoom)];
}

/// Cells of the widest plot.
int plot_cells(const Page& page) {
  int columns = 0;
  for (const Rect& chart : page.charts) columns = std::max(columns, chart.columns);
  return columns - value_axis_columns(columns);
}

TimeWindow page_window(const Scene& scene, const Page& page) {
  TimeWindow window = window_of(scene, plot_cells(page));
  window.bin *= zoom_of(scene);
  return window;
}

std::string page_note(const Scene& scene, int page_rows, int seen) {
  const std::string scroll = scroll_note(page_rows, seen, scene.choices.details_top);
  if (zoom_of(scene) == 1) return scroll;
  return fmt::format("{} times the time{}{}", zoom_of(scene), scroll.empty() ? "" : ", ", scroll);
}

}  // namespace

CurvesWanted power_view_curves(const Scene& scene, int columns) {
  const Page page = lay_out_page(scene.model, columns, 0);
  const TimeWindow window = page_window(scene, page);
  return {window.begin(plot_cells(page)), window.bin};
}

int power_view_rows(const Model& model, const Choices&, int columns) {
  return lay_out_page(model, columns, 0).rows;
}

void draw_power_view(const Scene& scene, const Pen& pen) {
  Pen view = pen;
  const Page page = lay_out_page(scene.model, view.columns(), view.rows());
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  Canvas canvas({view.columns(), page.rows});
  Pen body(canvas, {0, 0, view.columns(), page.rows}, view.ascii());
  const TimeWindow window = page_window(scene, page);
  const std::vector<MetricChart> charts = charts_of(scene);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    draw_metric_chart(body, page.charts[i], charts[i], window);
  }
  draw_costs(scene, body.on(page.costs), totals, page_note(scene, page.rows, view.rows()));
  draw_held(scene, body.on(page.held));
  draw_hottest(scene, body.on(page.hottest));
  draw_slowed(scene, body.on(page.slowed));
  view.paste(canvas, scene.choices.details_top, 0);
}

}  // namespace drover::tui
