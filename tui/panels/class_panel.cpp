#include "tui/panels/class_panel.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

// share_good: the 99th percentile is within the target.
constexpr double share_good = 0.99, share_fair = 0.90;

/// With decimals below 100 J, as a token takes few joules.
std::string unit_joules_text(double joules) {
  return joules < 100 ? fmt::format("{:.2f}J", joules) : joules_text(joules);
}

struct MetricTexts {
  ClassMetric metric;
  std::string_view name;
  std::string (*text)(double);
};
constexpr std::array<MetricTexts, 6> metric_texts = {{
    {ClassMetric::none, "-", duration_text},
    {ClassMetric::training_time, "training", duration_text},
    {ClassMetric::first_token, "1st token", duration_text},
    {ClassMetric::per_token, "per token", duration_text},
    {ClassMetric::cost_per_unit, "$/1M tok,1k st", dollars_text},
    {ClassMetric::energy_per_unit, "J/token, step", unit_joules_text},
}};

const MetricTexts& words_of(const ClassReport& report) {
  return metric_texts[static_cast<std::size_t>(report.metric)];
}

/// A number in the class's unit, coloured by comparison with the target.
struct Figure {
  std::string text;
  CellStyle style = CellStyle::plain;
};

Figure value_figure(const ClassReport& report, double value) {
  if (report.values.count == 0) return {std::string(not_known), CellStyle::faint};
  const std::string text = words_of(report).text(value);
  if (report.target <= 0) return {text};
  return {text, value <= report.target ? CellStyle::good : CellStyle::hot};
}

Figure name_of(const ClassReport& report) { return {report.name}; }
Figure metric_of(const ClassReport& report) {
  return {std::string(words_of(report).name), CellStyle::faint};
}
Figure target_of(const ClassReport& report) {
  return report.target > 0 ? Figure{words_of(report).text(report.target)}
                           : Figure{"none", CellStyle::faint};
}
Figure p50_of(const ClassReport& report) { return value_figure(report, report.values.p50); }
Figure p90_of(const ClassReport& report) { return value_figure(report, report.values.p90); }
Figure p99_of(const ClassReport& report) { return value_figure(report, report.values.p99); }
Figure max_of(const ClassReport& report) {
  // Not coloured: a single slow job is no failure of the target.
  return {value_figure(report, report.values.max).text,
          report.values.count == 0 ? CellStyle::faint : CellStyle::plain};
}
Figure done_of(const ClassReport& report) {
  return {count_text(static_cast<double>(report.values.count))};
}

struct ClassColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  Figure (*figure)(const ClassReport& report);  // null: the share within the target, as a bar
};
constexpr std::array<ClassColumn, 9> class_columns = {{
    {"CLASS", 10, Align::left, 0, name_of},
    {"METRIC", 14, Align::left, 6, metric_of},
    {"TARGET", 7, Align::right, 1, target_of},
    {"P50", 7, Align::right, 5, p50_of},
    {"P90", 7, Align::right, 3, p90_of},
    {"P99", 7, Align::right, 2, p99_of},
    {"MAX", 7, Align::right, 7, max_of},
    {"WITHIN", 8, Align::right, 4, nullptr},
    {"DONE", 6, Align::right, 8, done_of},
}};

void draw_share(DrawRegion& region, int column, int row, int width, const ClassReport& report) {
  if (report.values.count == 0 || report.target <= 0) {
    region.field(column, row, width, not_known, CellStyle::faint, Align::right);
    return;
  }
  const double share = static_cast<double>(report.met) / static_cast<double>(report.values.count);
  // 99.96 % must not be shown as 100 %.
  const std::string text = share < 1 && share > 0.995
                               ? fmt::format("{:.1f}%", std::min(99.9, 100 * share))
                               : percent_text(share);
  region.gauge(column, row, width, share, text,
               share >= share_good   ? CellStyle::fill_good
               : share >= share_fair ? CellStyle::fill_warm
                                     : CellStyle::fill_hot);
}

}  // namespace

int class_panel_rows(const Model& model) {
  if (!model.summary() || model.summary()->classes.empty()) return 0;
  return 2 + static_cast<int>(model.summary()->classes.size());
}

void draw_classes(const FrameContext& frame, DrawRegion region) {
  if (class_panel_rows(frame.model) == 0) return;
  const std::vector<ClassReport>& classes = frame.model.summary()->classes;
  region.heading(0, fmt::format("Classes {}", classes.size()),
                 frame.with_whole_fleet_note("finished, against targets"));
  const std::vector<int> columns = fit_columns<ClassColumn>(class_columns, region.columns() + 1);
  int spare = region.columns() + 1;
  for (const int number : columns) {
    spare -= class_columns[static_cast<std::size_t>(number)].width + 1;
  }
  const auto each_column = [&](auto&& draw) {
    int at = 0;
    for (const int number : columns) {
      const ClassColumn& column = class_columns[static_cast<std::size_t>(number)];
      // The remaining width goes to the names.
      const int width = column.width + (column.figure == name_of ? std::clamp(spare, 0, 20) : 0);
      draw(at, width, column);
      at += width + 1;
    }
  };
  each_column([&](int at, int width, const ClassColumn& column) {
    region.field(at, 1, width, column.title, CellStyle::faint, column.align);
  });
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    if (row >= region.rows()) break;
    each_column([&](int at, int width, const ClassColumn& column) {
      if (column.figure == nullptr) return draw_share(region, at, row, width, classes[i]);
      const Figure figure = column.figure(classes[i]);
      region.field(at, row, width, figure.text, figure.style, column.align);
    });
  }
}

}  // namespace drover::tui
