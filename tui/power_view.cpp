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

/// What a point of the trend tells of one chart; NaN where it tells nothing.
struct Told {
  double value = absent;
  double cap = absent;
};

/// The trend from `begin` on; the scale is that of what is shown.
template <typename Tell>
MetricChart chart_of(const Scene& scene, Instant begin, std::string title, Tell&& tell,
                     std::string (*text)(double)) {
  MetricChart metric;
  metric.title = std::move(title);
  double most = least_top;
  std::vector<Instant> at;
  for (const TrendPoint& point : scene.model.trend()) {
    if (point.at < begin) continue;
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

std::vector<MetricChart> charts_of(const Scene& scene, const Totals& totals, Instant begin) {
  std::vector<MetricChart> charts;
  const auto add = [&](std::string title, auto&& tell, std::string (*text)(double)) {
    charts.push_back(chart_of(scene, begin, std::move(title), tell, text));
  };
  const bool known = totals.reporting > 0;
  add(
      "site",
      [](const TrendPoint& point) {
        return Told{point.power_w, point.site_cap_w};
      },
      watts_text);
  charts.back().note = against_cap(known ? totals.power_w : absent, site_cap_w(scene.model));
  const std::vector<PoolTotals> pools = pool_totals_of(scene.model, scene.now, scene.rows_shown());
  for (std::size_t pool = 0; pool < scene.model.pools().size(); ++pool) {
    const std::string& name = scene.model.pools()[pool];
    const auto tell = [pool](const TrendPoint& point) {
      if (pool >= point.pools.size()) return Told{};
      return Told{point.pools[pool].power_w, point.pools[pool].cap_w};
    };
    add("pool " + name, tell, watts_text);
    const PoolLimits* limits = limits_of(scene.model, name);
    charts.back().note = against_cap(pools[pool].reporting > 0 ? pools[pool].power_w : absent,
                                     limits == nullptr ? 0 : limits->power_cap_w);
  }
  add(
      "dollars per hour",
      [](const TrendPoint& point) {
        return Told{point.usd_per_h, absent};
      },
      money_text);
  charts.back().note = known && totals.price_known ? dollars_text(totals.usd_per_h) : "-";
  charts.back().chart.role = Role::accent;
  return charts;
}

double ratio(double sum, double count) { return count > 0 ? sum / count : absent; }

/// Tokens are told of accepted jobs, charges of finished ones: neither may be divided by the other.
void draw_quotients(Pen& pen, int row, const Summary& sums) {
  const auto tokens = static_cast<double>(sums.input_tokens + sums.output_tokens);
  const auto finished = static_cast<double>(sums.finished);
  pen.field(0, row, pen.columns() - 22, "PER", Role::faint);
  pen.field(pen.columns() - 22, row, 10, "ENERGY", Role::faint, Align::right);
  pen.field(pen.columns() - 11, row, 10, "COST", Role::faint, Align::right);
  const auto line = [&](int at, std::string_view label, double energy, double cost) {
    pen.field(0, at, pen.columns() - 22, label);
    pen.field(pen.columns() - 22, at, 10, std::isnan(energy) ? "-" : joules_text(energy),
              Role::plain, Align::right);
    pen.field(pen.columns() - 11, at, 10, std::isnan(cost) ? "-" : dollars_text(cost), Role::plain,
              Align::right);
  };
  line(row + 1, "1M tokens, idle included", 1e6 * ratio(sums.fleet_energy_j, tokens),
       1e6 * ratio(sums.fleet_cost_usd, tokens));
  line(row + 2, "finished job, charged", ratio(sums.charged.energy_j, finished),
       ratio(sums.charged.cost_usd, finished));
  pen.field(0, row + 3, pen.columns(),
            fmt::format("of {} tokens accepted, {} jobs finished", count_text(tokens),
                        count_text(finished)),
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
            known && totals.usd_per_h > 0
                ? fmt::format("{}{} an hour", totals.price_known ? "" : "over ",
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
  draw_quotients(pen, 6, sums);
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
    const char* mark = spec.temperature_assumed ? "~" : "";
    pen.gauge(14 + kind, line, pen.columns() - 14 - kind - 8, share,
              spec.slowdown_c > 0
                  ? fmt::format("{}{:.0f} of {:.0f}C", mark, celsius, spec.slowdown_c)
                  : fmt::format("{}{:.0f}C", mark, celsius),
              fill_role(share, 0.90, 0.99));
    const double watts = model.reading(row, Metric::power);
    const std::string drawn =
        std::isnan(watts) ? "-" : (spec.power_assumed ? "~" : "") + watts_text(watts);
    pen.field(pen.columns() - 7, line, 7, drawn, Role::plain, Align::right);
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
    const double throttle = model.reading(row, Metric::throttle);
    if (!is_slowed(throttle)) continue;
    ++reasons[throttle_text(throttle)];
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
  const Totals totals = totals_of(scene.model, scene.now, scene.rows_shown());
  Canvas canvas({view.columns(), page.rows});
  Pen body(canvas, {0, 0, view.columns(), page.rows}, view.ascii());
  int columns = 0;
  for (const Rect& chart : page.charts) columns = std::max(columns, chart.columns);
  const int cells = columns - value_axis_columns(columns);
  const TimeWindow window = window_of(scene, cells);
  const std::vector<MetricChart> charts = charts_of(scene, totals, window.begin(cells));
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
