// Watts against caps over time, by pool and in all; what energy and money went into; which devices
// are hot or slowed. Scrolls as one page where the screen is low.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/units.h"
#include "tui/columns.h"
#include "tui/device_charts.h"
#include "tui/layout.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

constexpr int wide_columns = 100;  // from here on, lists stand beside the charts
constexpr int roomy_columns = 160;
constexpr int sums_rows = 11;
constexpr int list_most = 8;
constexpr int gap = 2;
constexpr int chart_rows_more = 12;
constexpr double least_top = 10;  // of a chart: below, its middle would not be a whole number

struct Page {
  std::vector<Rect> charts;  // the site, each pool, dollars per hour
  Rect sums, hottest, slowed;
  int rows = 0;
};

/// `least_rows`: what there is to fill.
Page lay_out_page(const Model& model, int columns, int least_rows) {
  Page page;
  const bool beside = columns >= wide_columns;
  const int lists = beside ? std::min(72, columns * 2 / 5) : columns;
  const int left = beside ? columns - lists - gap : columns;
  const int width = (left - gap) / 2;
  page.sums = {beside ? left + gap : 0, 0, lists, sums_rows};
  const int count = static_cast<int>(model.pools().size()) + 2;
  const int lines = (count + 1) / 2;
  int rows = columns < wide_columns ? 6 : columns < roomy_columns ? 7 : 9;
  // What is left over makes them higher: two rows at a time keep their middle.
  if (beside) rows += std::clamp(least_rows / lines - rows, 0, chart_rows_more) / 2 * 2;
  const int top = beside ? 0 : sums_rows;
  for (int i = 0; i < count; ++i) {
    const int own = i % 2 == 0 ? width : left - width - gap;
    page.charts.push_back({i % 2 * (width + gap), top + i / 2 * rows, own, rows});
  }
  const int bottom = top + lines * rows;
  const int below = beside ? sums_rows : bottom;
  page.hottest = {page.sums.column, below, lists, list_most + 1};
  const int slowed = below + list_most + 2;
  page.slowed = {page.sums.column, slowed, lists, std::max(list_most + 1, least_rows - slowed)};
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

std::string against_cap(double watts, double cap_w) {
  return fmt::format("{}{}", std::isnan(watts) ? "-" : watts_text(watts),
                     cap_w > 0 ? fmt::format(" of {}", watts_text(cap_w)) : ", no cap");
}

std::string money_text(double dollars) {
  // For an axis of six columns, cents of large sums are left out.
  return dollars < 10 ? dollars_text(dollars) : "$" + count_text(std::round(dollars));
}

/// A curve of the trend; `value` answers NaN where a point does not tell.
template <typename Value>
MetricChart chart_of(const Scene& scene, std::string title, Value&& value, double cap,
                     std::string (*text)(double)) {
  MetricChart metric;
  metric.title = std::move(title);
  double most = cap;
  std::vector<Instant> at;
  for (const TrendPoint& point : scene.model.trend()) {
    metric.points.push_back({point.at, value(point)});
    at.push_back(point.at);
    if (metric.points.back().value > most) most = metric.points.back().value;
  }
  metric.chart.text = text;
  metric.chart.scale = scale_up_to(std::max(most, least_top));
  metric.chart.holds = stands_for(at, window_of(scene, 1'000).bin);
  metric.chart.role = Role::hot;
  if (cap > 0) metric.chart.limit = cap;
  return metric;
}

double last_of(const MetricChart& metric) {
  return metric.points.empty() ? absent : metric.points.back().value;
}

std::vector<MetricChart> charts_of(const Scene& scene, const Totals& totals) {
  std::vector<MetricChart> charts;
  const double cap = site_cap_w(scene.model);
  charts.push_back(chart_of(
      scene, "site", [](const TrendPoint& point) { return point.power_w; }, cap, watts_text));
  charts.back().note = against_cap(totals.reporting > 0 ? totals.power_w : absent, cap);
  for (std::size_t pool = 0; pool < scene.model.pools().size(); ++pool) {
    const std::string& name = scene.model.pools()[pool];
    const PoolLimits* limits = limits_of(scene.model, name);
    const double pool_cap = limits == nullptr ? 0 : limits->power_cap_w;
    const auto watts = [pool](const TrendPoint& point) {
      return pool < point.pool_power_w.size() ? point.pool_power_w[pool] : absent;
    };
    charts.push_back(chart_of(scene, "pool " + name, watts, pool_cap, watts_text));
    charts.back().note = against_cap(last_of(charts.back()), pool_cap);
  }
  charts.push_back(chart_of(
      scene, "dollars per hour", [](const TrendPoint& point) { return point.usd_per_h; }, 0,
      money_text));
  charts.back().note =
      std::isnan(last_of(charts.back())) ? "-" : dollars_text(last_of(charts.back()));
  charts.back().chart.role = Role::accent;
  return charts;
}

double per_million(double sum, double tokens) { return tokens > 0 ? sum / tokens * 1e6 : absent; }

void draw_per_token(Pen& pen, int row, const Summary& sums) {
  const auto tokens = static_cast<double>(sums.input_tokens + sums.output_tokens);
  pen.field(0, row, pen.columns() - 22, "PER MILLION TOKENS", Role::faint);
  pen.field(pen.columns() - 22, row, 10, "ENERGY", Role::faint, Align::right);
  pen.field(pen.columns() - 11, row, 10, "COST", Role::faint, Align::right);
  const auto line = [&](int at, std::string_view label, double joules, double dollars) {
    pen.field(0, at, pen.columns() - 22, label);
    const double energy = per_million(joules, tokens);
    const double cost = per_million(dollars, tokens);
    pen.field(pen.columns() - 22, at, 10, std::isnan(energy) ? "-" : joules_text(energy),
              Role::plain, Align::right);
    pen.field(pen.columns() - 11, at, 10, std::isnan(cost) ? "-" : dollars_text(cost), Role::plain,
              Align::right);
  };
  line(row + 1, "whole fleet with idle", sums.fleet_energy_j, sums.fleet_cost_usd);
  line(row + 2, "charged to finished jobs", sums.charged.energy_j, sums.charged.cost_usd);
  pen.field(0, row + 3, pen.columns(),
            fmt::format("of {} tokens in and out, of accepted jobs", count_text(tokens)),
            Role::faint);
}

void draw_sums(const Scene& scene, Pen pen, const Totals& totals, const std::string& scroll) {
  const auto& summary = scene.model.summary();
  const std::string since = summary ? fmt::format("since {}", to_clock_text(summary->started)) : "";
  pen.heading(0, "Power and money", scroll.empty() ? since : scroll);
  const double cap = site_cap_w(scene.model);
  const double limit = cap > 0 ? cap : totals.power_limit_w;
  const bool known = totals.reporting > 0;
  const double share = known && limit > 0 ? totals.power_w / limit : absent;
  pen.text(0, 1, "site", Role::faint);
  pen.gauge(9, 1, pen.columns() - 9, share,
            known ? fmt::format("{} of {}{}", watts_text(totals.power_w), watts_text(limit),
                                cap > 0 ? " site cap" : " device caps")
                  : "-",
            fill_role(share, 0.90, 0.99));
  const Summary sums = summary.value_or(Summary{});
  const auto fact = [&](int row, std::string_view label, const std::string& text) {
    draw_fact(pen, 0, row, 9, label, summary ? text : "-");
  };
  fact(2, "reserved",
       fmt::format("{} for work that no sample shows yet", watts_text(sums.power_reserved_w)));
  draw_fact(pen, 0, 3, 9, "rate",
            totals.usd_per_h > 0 ? fmt::format("{}{} an hour", totals.price_known ? "" : "over ",
                                               dollars_text(totals.usd_per_h))
                                 : "-");
  fact(4, "so far",
       fmt::format("{} ({:.2f} kWh), {}", joules_text(sums.fleet_energy_j),
                   sums.fleet_energy_j / 3.6e6, dollars_text(sums.fleet_cost_usd)));
  const double fleet_j = sums.fleet_energy_j;
  fact(5, "of that",
       fmt::format("jobs {}, lost {}, idle and open {}",
                   percent_text(fleet_j > 0 ? sums.charged.energy_j / fleet_j : absent),
                   percent_text(fleet_j > 0 ? sums.wasted.energy_j / fleet_j : absent),
                   percent_text(fleet_j > 0 ? std::max(0.0, fleet_j - sums.charged.energy_j -
                                                                sums.wasted.energy_j) /
                                                  fleet_j
                                            : absent)));
  draw_per_token(pen, 6, sums);
}

std::vector<DeviceTable::Row> hottest_rows(const Scene& scene) {
  std::vector<DeviceTable::Row> rows;
  for (const DeviceTable::Row row : scene.model.device_order()) {
    if (!scene.stale(row) && !std::isnan(scene.model.reading(row, Metric::temperature))) {
      rows.push_back(row);
    }
  }
  const auto end = rows.begin() + std::min<std::ptrdiff_t>(list_most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](DeviceTable::Row a, DeviceTable::Row b) {
    const double left = scene.model.reading(a, Metric::temperature);
    const double right = scene.model.reading(b, Metric::temperature);
    return left != right ? left > right : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

void draw_hottest(const Scene& scene, Pen pen) {
  const Model& model = scene.model;
  pen.heading(0, "Hottest devices", "of its slowdown limit");
  int line = 1;
  for (const DeviceTable::Row row : hottest_rows(scene)) {
    const SpecRow& spec = model.spec_of(row);
    const double celsius = model.reading(row, Metric::temperature);
    pen.field(0, line, 13, to_text(model.id_of(row)));
    const int kind = pen.columns() >= 60 ? 15 : 0;
    pen.field(14, line, kind - 1, spec.id, Role::faint);
    const double share = spec.slowdown_c > 0 ? celsius / spec.slowdown_c : absent;
    pen.gauge(14 + kind, line, pen.columns() - 14 - kind - 8, share,
              spec.slowdown_c > 0 ? fmt::format("{:.0f} of {:.0f}C", celsius, spec.slowdown_c)
                                  : fmt::format("{:.0f}C", celsius),
              fill_role(share, 0.90, 0.99));
    const double watts = model.reading(row, Metric::power);
    pen.field(pen.columns() - 7, line, 7, std::isnan(watts) ? "-" : watts_text(watts), Role::plain,
              Align::right);
    ++line;
  }
  if (line == 1) pen.text(0, 1, "no temperature is known", Role::faint);
}

/// What is raised on the device.
const Alert* alert_on(const Model& model, const std::string& device) {
  for (const auto& [key, row] : model.alerts()) {
    if (key.subject == device || key.subject == "device:" + device) return &row.alert;
  }
  return nullptr;
}

void draw_slowed(const Scene& scene, Pen pen) {
  const Model& model = scene.model;
  std::map<std::string, int> reasons;
  std::vector<DeviceTable::Row> rows;
  for (const DeviceTable::Row row : model.device_order()) {
    if (scene.stale(row)) continue;
    const std::string reason = throttle_text(model.reading(row, Metric::throttle));
    if (reason.empty() || reason == "-" || reason == "idle") continue;
    ++reasons[reason];
    rows.push_back(row);
  }
  std::string note;
  for (const auto& [reason, count] : reasons) {
    note += fmt::format("{}{} {}", note.empty() ? "" : ", ", reason, count);
  }
  pen.heading(0, fmt::format("Slowed devices {}", rows.size()), note);
  int line = 1;
  for (const DeviceTable::Row row : rows) {
    if (line >= pen.rows()) break;
    const std::string device = to_text(model.id_of(row));
    pen.field(0, line, 13, device);
    pen.field(14, line, 8, throttle_text(model.reading(row, Metric::throttle)), Role::warm);
    const double mhz = model.reading(row, Metric::clock);
    pen.field(23, line, 9, std::isnan(mhz) ? "-" : fmt::format("{:.0f} MHz", mhz), Role::plain,
              Align::right);
    const double slowed_s = to_seconds(scene.now - model.devices().slowed_since(row));
    std::string text = "for " + duration_text(slowed_s);
    if (const Alert* alert = alert_on(model, device)) text += ", alert " + alert->rule;
    pen.field(34, line, pen.columns() - 34, text);
    ++line;
  }
  if (rows.empty()) pen.text(0, 1, "none", Role::faint);
}

}  // namespace

int power_view_rows(const Model& model, const Choices&, int columns) {
  return lay_out_page(model, columns, 0).rows;
}

void draw_power_view(const Scene& scene, const Pen& pen) {
  Pen view = pen;
  const Page page = lay_out_page(scene.model, view.columns(), view.rows());
  const Totals totals = totals_of(scene.model, scene.now, scene.options.stale_after);
  Canvas canvas({view.columns(), page.rows});
  Pen body(canvas, {0, 0, view.columns(), page.rows}, view.ascii());
  const std::vector<MetricChart> charts = charts_of(scene, totals);
  const int columns = page.charts.front().columns;
  const TimeWindow window = window_of(scene, columns - value_axis_columns(columns));
  for (std::size_t i = 0; i < charts.size(); ++i) {
    draw_metric_chart(body, page.charts[i], charts[i], window);
  }
  draw_sums(scene, body.on(page.sums), totals,
            scroll_note(page.rows, view.rows(), scene.choices.details_top));
  draw_hottest(scene, body.on(page.hottest));
  draw_slowed(scene, body.on(page.slowed));
  view.paste(canvas, scene.choices.details_top, 0);
}

}  // namespace drover::tui
