// Power against caps and the spend rate against the budget over time; beside them the use of energy
// and cost, and devices that are hot or throttled. On low screens it scrolls as one page.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/groups/pool_choice.h"
#include "tui/panels/panels.h"
#include "tui/panels/power_charts.h"
#include "tui/tables/device_columns.h"
#include "tui/views/budget_panel.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int cost_panel_rows = 14;

constexpr int cost_label_columns = 12;
constexpr double power_near_cap = 0.90, power_at_cap = 0.99;

/// Columns of the two tables, laid out from the right edge: a number and its share of the total.
constexpr int number_columns = 9, share_columns = 5;

struct TableColumns {
  int energy, energy_share, cost, cost_share;
};

TableColumns lay_out(int columns) {
  const int cost_share = columns - share_columns;
  const int cost = cost_share - number_columns;
  const int energy_share = cost - share_columns - 1;
  return {energy_share - number_columns, energy_share, cost, cost_share};
}

void draw_titles(DrawRegion& region, int row, std::string_view title) {
  const TableColumns at = lay_out(region.columns());
  region.field(0, row, at.energy, title, CellStyle::faint);
  region.field(at.energy, row, number_columns, "ENERGY", CellStyle::faint, Align::right);
  region.field(at.cost, row, number_columns, "COST", CellStyle::faint, Align::right);
}

void draw_number(DrawRegion& region, int column, int row, double value,
                 std::string (*text)(double)) {
  region.field(column, row, number_columns, known_text(value, text),
               std::isnan(value) ? CellStyle::faint : CellStyle::plain, Align::right);
}

void draw_share(DrawRegion& region, int column, int row, double share) {
  region.field(column, row, share_columns, std::isnan(share) ? "" : percent_text(share),
               CellStyle::faint, Align::right);
}

/// Energy and cost; NaN if unknown.
struct Spent {
  double energy_j = absent, cost_usd = absent;
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : absent; }

void draw_spent(DrawRegion& region, int row, std::string_view label, const Spent& part,
                const Spent& whole, bool shares = true) {
  const TableColumns at = lay_out(region.columns());
  region.field(0, row, at.energy, label);
  draw_number(region, at.energy, row, part.energy_j, joules_text);
  draw_number(region, at.cost, row, part.cost_usd, dollars_text);
  if (!shares) return;
  draw_share(region, at.energy_share, row, ratio(part.energy_j, whole.energy_j));
  draw_share(region, at.cost_share, row, ratio(part.cost_usd, whole.cost_usd));
}

/// Energy and cost by use since the ledger began.
void draw_total(DrawRegion& region, int row, const std::optional<Summary>& summary) {
  Spent fleet, charged, wasted, rest;
  if (summary) {
    fleet = {summary->fleet_energy_j, summary->fleet_cost_usd};
    charged = {summary->charged.energy_j, summary->charged.cost_usd};
    wasted = {summary->wasted.energy_j, summary->wasted.cost_usd};
    rest = {std::max(0.0, fleet.energy_j - charged.energy_j - wasted.energy_j),
            std::max(0.0, fleet.cost_usd - charged.cost_usd - wasted.cost_usd)};
  }
  draw_titles(region, row, "TOTAL");
  draw_spent(region, row + 1, "fleet", fleet, fleet, false);
  draw_spent(region, row + 2, "finished jobs", charged, fleet);
  draw_spent(region, row + 3, "lost attempts", wasted, fleet);
  draw_spent(region, row + 4, "idle, open jobs", rest, fleet);
}

Spent per(const DeliveredWork& work, double units) {
  const auto count = static_cast<double>(work.units);
  return {units * ratio(work.charged.energy_j, count), units * ratio(work.charged.cost_usd, count)};
}

/// The charges of finished jobs per unit of their output, by kind of output. Idle devices and lost
/// attempts are not included.
void draw_per_unit(DrawRegion& region, int row, const std::optional<Summary>& summary) {
  const Summary sums = summary.value_or(Summary{});
  draw_titles(region, row, "CHARGED PER");
  draw_spent(region, row + 1, "1M tokens", per(sums.tokens_work, 1e6), {}, false);
  draw_spent(region, row + 2, "1k training steps", per(sums.steps_work, 1e3), {}, false);
  const auto count = [](std::uint64_t number, std::string_view one) {
    return fmt::format("{} {}{}", count_text(static_cast<double>(number)), one,
                       number == 1 ? "" : "s");
  };
  region.field(0, row + 3, region.columns(),
               summary
                   ? fmt::format("{}, {} of finished jobs", count(sums.tokens_work.units, "token"),
                                 count(sums.steps_work.units, "step"))
                   : std::string(),
               CellStyle::faint);
}

void draw_now(const FrameContext& frame, DrawRegion& region, const Totals& totals) {
  // The site's cap does not apply to a part of the devices.
  const double cap = frame.ui.fleet_filter.active() ? 0 : frame.model.site_cap_w();
  const double limit = cap > 0 ? cap : totals.power_limit_w;
  const bool known = !std::isnan(totals.power_w);
  const double share = limit > 0 ? totals.power_w / limit : absent;
  region.text(0, 1, "power now", CellStyle::faint);
  region.gauge(cost_label_columns, 1, region.columns() - cost_label_columns, share,
               known ? fmt::format("{} of {}{}", watts_text(totals.power_w), watts_text(limit),
                                   cap > 0 ? " site cap" : " device caps")
                     : std::string(not_known),
               gauge_style(share, power_near_cap, power_at_cap));
  draw_fact(region, 0, 2, cost_label_columns, "all devices",
            totals.reporting > 0 && totals.usd_per_h > 0
                ? fmt::format("{}{}/h, busy or idle", totals.price_known ? "" : "over ",
                              dollars_text(totals.usd_per_h))
                : std::string(not_known));
}

/// `note`: of the heading. The first lines cover the devices that match the filter. The router's
/// sums cover the whole fleet and have a heading of their own.
void draw_costs(const FrameContext& frame, DrawRegion region, const Totals& totals,
                const std::string& note) {
  const auto& summary = frame.model.summary();
  region.heading(0, "Power and cost", note);
  draw_now(frame, region, totals);
  region.heading(
      3, "Accounting",
      frame.with_whole_fleet_note(summary ? "since " + to_clock_text(summary->started) : ""));
  draw_fact(
      region, 0, 4, cost_label_columns, "reserved",
      summary ? fmt::format("{} for work not yet in samples", watts_text(summary->power_reserved_w))
              : std::string(not_known));
  draw_total(region, 5, summary);
  draw_per_unit(region, 10, summary);
}

constexpr int power_wide_columns = 100;  // from here on, lists are beside the charts
constexpr int throttled_rows_min = 6;
constexpr int power_gap = 2;
constexpr int stack_rows_least = 12, stack_rows_most = 22;
constexpr int chart_rows_more = 6;
constexpr int hottest_rows_least = 7, hottest_rows_most = 21;

/// Rectangles relative to the page's corner.
struct Page {
  Rect stack;
  std::vector<Rect> charts;  // each pool, dollars per hour
  Rect costs, budget, throttle_times, hottest, throttled;
  int rows = 0;
};

/// Places the charts below each other and side by side, from a row on. `least_rows`: the rows to
/// fill. Returns the row after them.
int place_charts(Page& page, int count, int columns, int top, int least_rows) {
  const int abreast = columns >= 110 ? 3 : 2;
  const int lines = (count + abreast - 1) / abreast;
  const int width = (columns - power_gap * (abreast - 1)) / abreast;
  int rows = columns < 60 ? 6 : 7;
  // Remaining rows make the stack higher, then the charts, two rows at a time, so that they keep a
  // middle row.
  const int stack =
      std::clamp(least_rows - lines * rows, stack_rows_least, stack_rows_most) / 2 * 2;
  rows += std::clamp((least_rows - stack) / lines - rows, 0, chart_rows_more) / 2 * 2;
  page.stack = {0, top, columns, stack};
  for (int i = 0; i < count; ++i) {
    const int place = i % abreast;
    const int own = place + 1 < abreast ? width : columns - place * (width + power_gap);
    page.charts.push_back(
        {place * (width + power_gap), top + stack + i / abreast * rows, own, rows});
  }
  return top + stack + lines * rows;
}

/// `least_rows`: the rows to fill.
Page lay_out_page(const Model& model, int columns, int least_rows) {
  Page page;
  const bool beside = columns >= power_wide_columns;
  const int lists = beside ? std::min(72, columns * 2 / 5) : columns;
  const int left = beside ? columns - lists - power_gap : columns;
  const int count = static_cast<int>(model.pools().size()) + 1;
  const int budget = budget_panel_rows(model);
  const int bottom = place_charts(page, count, left, beside ? 0 : cost_panel_rows + budget,
                                  beside ? least_rows : 0);
  const int list_column = beside ? left + power_gap : 0;
  page.costs = {list_column, 0, lists, cost_panel_rows};
  page.budget = {list_column, cost_panel_rows, lists, budget};
  page.throttle_times = {list_column, beside ? cost_panel_rows + budget : bottom, lists,
                         throttle_time_panel_rows};
  const int hottest = page.throttle_times.row + throttle_time_panel_rows;
  page.hottest = {
      list_column, hottest, lists,
      std::clamp((least_rows - hottest) * 3 / 5, hottest_rows_least, hottest_rows_most)};
  const int throttled = hottest + page.hottest.rows;
  page.throttled = {list_column, throttled, lists,
                    std::max(throttled_rows_min, least_rows - throttled)};
  page.rows = std::max(bottom, page.throttled.row + page.throttled.rows);
  return page;
}

/// Cells of the narrowest chart's plot.
int plot_cells(const Page& page) {
  const int columns = page.charts.front().columns;
  return columns - value_axis_columns(columns);
}

class PowerView : public View {
 public:
  using View::View;

  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    DrawRegion view = region;
    const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
    Canvas canvas({view.columns(), page_.rows});
    DrawRegion body(canvas, {0, 0, view.columns(), page_.rows}, view.ascii());
    const ChartSpan span = fleet_chart_span(frame);
    const TimeWindow window = window_of(frame.now, span.shown, plot_cells(page_));
    draw_power_stack(frame, body.on(page_.stack), span);
    const std::vector<MetricChart> charts = power_charts(frame);
    for (std::size_t i = 0; i < charts.size(); ++i) {
      draw_metric_chart(body, page_.charts[i], charts[i], window, time_labels(span));
      const auto& pools = frame.model.pools();
      if (i >= pools.size()) continue;
      if (ui_.pool == pools[i]) body.part(page_.charts[i]).tint(0, CellStyle::selected);
      make_clickable(frame, view, page_.charts[i], static_cast<int>(i));
    }
    const std::string scroll = scroll_note(page_.rows, view.rows(), ui_.details_top);
    draw_costs(frame, body.on(page_.costs), totals, span_and_scroll_note(span, scroll));
    draw_budget(frame, body.on(page_.budget));
    draw_throttle_times(frame, body.on(page_.throttle_times));
    draw_hottest(frame, body.on(page_.hottest));
    draw_throttled(frame, body.on(page_.throttled));
    view.paste(canvas, ui_.details_top, 0);
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int) const override {
    const Totals totals = totals_of(frame.model, frame.now, frame.rows_shown());
    const auto& summary = frame.model.summary();
    std::vector<CompactLine> lines = {
        {fmt::format("power {}", known_text(totals.power_w, watts_text))},
        {fmt::format("limit {}",
                     totals.power_limit_w > 0 ? watts_text(totals.power_limit_w) : "N/A")},
        {fmt::format("rate {}/h", totals.price_known && totals.usd_per_h > 0
                                      ? dollars_text(totals.usd_per_h)
                                      : std::string(not_known))}};
    if (summary) {
      lines.push_back({fmt::format("used {}", joules_text(summary->fleet_energy_j))});
      lines.push_back({fmt::format("cost {}", dollars_text(summary->fleet_cost_usd))});
    }
    return lines;
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    page_ = lay_out_page(at.model, at.body.columns, at.body.rows);
    const int pool = pool_index(at.model.pools(), ui_.pool);
    if (std::exchange(follow_, false) && pool >= 0) {
      const Rect& chart = page_.charts[static_cast<std::size_t>(pool)];
      const int last = std::max(0, chart.row + chart.rows - at.body.rows);
      ui_.details_top = std::clamp(ui_.details_top, std::min(last, chart.row), chart.row);
    }
    return {page_.rows, at.body.rows};
  }

  /// Left and right choose a pool.
  void move(const KeyContext& context, Move direction) override {
    if (direction != Move::left && direction != Move::right) return View::move(context, direction);
    choose_pool(context, direction == Move::right ? 1 : -1);
  }

  std::optional<ViewId> open_selected(const KeyContext& context) override {
    if (pool_index(context.model.pools(), ui_.pool) < 0) {
      choose_pool(context, 1);
      return std::nullopt;
    }
    narrow(ui_, "pool", *ui_.pool);
    return ViewId::devices;
  }

  bool back() override { return std::exchange(ui_.pool, std::nullopt).has_value(); }

  std::optional<ChartRange> chart_range(const FrameContext& frame) const override {
    if (page_.charts.empty()) return std::nullopt;  // no layout yet
    const ChartSpan span = fleet_chart_span(frame);
    // The stack is the widest chart and has the shortest bins.
    const int cells = std::max(plot_cells(page_), power_stack_cells(page_.stack.columns));
    const TimeWindow window = window_of(frame.now, span.shown, cells);
    const Duration cell = 2 * window_of(frame.now, span.shown, plot_cells(page_)).bin;
    return ChartRange{window.begin(cells) - cell, window.bin, span};
  }

 private:
  void choose_pool(const KeyContext& context, int step) {
    const auto& pools = context.model.pools();
    if (pools.empty()) return context.cursor.say("there is no pool");
    step_pool(pools, step, ui_.pool);
    follow_ = true;
  }

  /// `chart`: on the page, of which `view` shows the rows from ui.details_top on.
  void make_clickable(const FrameContext& frame, const DrawRegion& view, const Rect& chart,
                      int pool) const {
    const int first = std::max(0, chart.row - ui_.details_top);
    const int end = std::min(view.rows(), chart.row + chart.rows - ui_.details_top);
    if (first >= end) return;
    frame.click_targets.add(
        {view.area().column + chart.column, view.area().row + first, chart.columns, end - first},
        ClickTarget::Kind::pool, pool);
  }

  Page page_;
  bool follow_ = false;  // the page must scroll until the chosen pool's chart is visible
};

}  // namespace

std::unique_ptr<View> make_power_view(UiState& ui) { return std::make_unique<PowerView>(ui); }

}  // namespace drover::tui
