#include "tui/jobs/class_panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"

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

const MetricTexts& texts_of(const ClassReport& report) {
  return metric_texts[static_cast<std::size_t>(report.metric)];
}

/// A number in the class's unit, coloured by comparison with the target.
struct Figure {
  std::string text;
  CellStyle style = CellStyle::plain;
};

Figure value_figure(const ClassReport& report, double value) {
  if (report.values.count == 0) return {std::string(not_known), CellStyle::faint};
  const std::string text = texts_of(report).text(value);
  if (report.target <= 0) return {text};
  return {text, value <= report.target ? CellStyle::good : CellStyle::hot};
}

Figure name_of(const ClassReport& report) { return {report.name}; }
Figure metric_of(const ClassReport& report) {
  return {std::string(texts_of(report).name), CellStyle::faint};
}
Figure target_of(const ClassReport& report) {
  return report.target > 0 ? Figure{texts_of(report).text(report.target)}
                           : Figure{"none", CellStyle::faint};
}
template <double Percentiles::*member>
Figure percentile(const ClassReport& report) {
  return value_figure(report, report.values.*member);
}
Figure max_of(const ClassReport& report) {
  // Not coloured: a single slow job is no failure of the target.
  return {value_figure(report, report.values.max).text,
          report.values.count == 0 ? CellStyle::faint : CellStyle::plain};
}
Figure done_of(const ClassReport& report) {
  return {count_text(static_cast<double>(report.values.count))};
}

/// "0.0", "2.5", "!31": an exclamation mark where the class burns fast.
template <auto window>
Figure burn_figure(const ClassReport& report) {
  const ClassBurn of_class = class_burn(report);
  const double burn = of_class.*window;
  if (std::isnan(burn)) return {std::string(not_known), CellStyle::faint};
  const std::string number = burn < 10 ? fmt::format("{:.1f}", burn) : fmt::format("{:.0f}", burn);
  if (of_class.fast) return {"!" + number, CellStyle::critical};
  return {number, burn >= fast_burn_rate ? CellStyle::hot
                  : burn > 1             ? CellStyle::warm
                                         : CellStyle::good};
}

struct ClassColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  Figure (*figure)(const ClassReport& report);  // null: the share within the target, as a bar
};
constexpr std::array<ClassColumn, 11> class_columns = {{
    {"CLASS", 10, Align::left, 0, name_of},
    {"METRIC", 14, Align::left, 10, metric_of},
    {"TARGET", 7, Align::right, 1, target_of},
    {"P50", 7, Align::right, 7, percentile<&Percentiles::p50>},
    {"P90", 7, Align::right, 6, percentile<&Percentiles::p90>},
    {"P99", 7, Align::right, 2, percentile<&Percentiles::p99>},
    {"MAX", 7, Align::right, 8, max_of},
    {"WITHIN", 8, Align::right, 4, nullptr},
    {"DONE", 6, Align::right, 9, done_of},
    {"BURN 5M", 7, Align::right, 5, burn_figure<&ClassBurn::short_window>},
    {"BURN 1H", 7, Align::right, 3, burn_figure<&ClassBurn::long_window>},
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

std::string_view metric_words(const ClassReport& report) { return texts_of(report).name; }

/// Buckets `first` to `last` that the histogram shows, and how they fit into its columns.
struct BucketScale {
  std::size_t first = 0, last = 0;
  int columns_each = 1;    // of a bucket
  std::size_t merged = 1;  // buckets in a column, if there are more buckets than columns
  int columns = 1;         // of all

  int column_of(std::size_t bucket) const {
    return static_cast<int>((bucket - first) / merged) * columns_each;
  }
};

std::size_t bucket_of(double value) {
  if (value <= class_bucket_least) return 0;
  const double steps = std::log(value / class_bucket_least) / std::log(class_bucket_growth);
  return std::min(class_bucket_count - 1, static_cast<std::size_t>(std::max(0.0, steps)));
}

/// All values and the target.
BucketScale scale_of(const ClassReport& report, int columns) {
  BucketScale scale;
  scale.first = report.first_bucket;
  scale.last = report.first_bucket + std::max<std::size_t>(1, report.buckets.size()) - 1;
  if (report.target > 0) {
    scale.first = std::min(scale.first, bucket_of(report.target));
    scale.last = std::max(scale.last, bucket_of(report.target));
  }
  const std::size_t count = scale.last - scale.first + 1;
  const auto room = static_cast<std::size_t>(std::max(1, columns));
  scale.merged = (count + room - 1) / room;
  const std::size_t bars = (count + scale.merged - 1) / scale.merged;
  scale.columns_each = std::max(1, static_cast<int>(room / bars));
  scale.columns = static_cast<int>(bars) * scale.columns_each;
  return scale;
}

}  // namespace

std::vector<double> histogram_shares(const ClassReport& report, int columns) {
  const BucketScale scale = scale_of(report, columns);
  std::vector<double> counts(static_cast<std::size_t>(scale.columns), 0);
  for (std::size_t i = 0; i < report.buckets.size(); ++i) {
    const int at = scale.column_of(report.first_bucket + i);
    for (int column = at; column < at + scale.columns_each; ++column) {
      counts[static_cast<std::size_t>(column)] += static_cast<double>(report.buckets[i]);
    }
  }
  const double most = *std::ranges::max_element(counts);
  for (double& count : counts) count = count > 0 && most > 0 ? count / most : absent;
  return counts;
}

int target_column(const ClassReport& report, int columns) {
  if (report.target <= 0) return -1;
  const BucketScale scale = scale_of(report, columns);
  return scale.column_of(bucket_of(report.target)) + scale.columns_each - 1;
}

int selected_class(const Model& model, const UiState& ui) {
  if (!model.summary() || model.summary()->classes.empty()) return -1;
  const std::vector<ClassReport>& classes = model.summary()->classes;
  const auto index_of = [&](const std::string& name) {
    const auto found = std::ranges::find(classes, name, &ClassReport::name);
    return found == classes.end() ? -1 : static_cast<int>(found - classes.begin());
  };
  if (const int chosen = index_of(ui.jobs.work_class); chosen >= 0) return chosen;
  // The one that burns most, else one with values.
  const auto rank = [](const ClassReport& report) {
    const double burn = class_burn(report).long_window;
    return std::pair(std::isnan(burn) ? -1 : burn, report.values.count);
  };
  return static_cast<int>(std::ranges::max_element(classes, {}, rank) - classes.begin());
}

void step_class(const Model& model, UiState& ui, int step) {
  const int at = selected_class(model, ui);
  if (at < 0) return;
  const std::vector<ClassReport>& classes = model.summary()->classes;
  const int count = static_cast<int>(classes.size());
  ui.jobs.work_class = classes[static_cast<std::size_t>((at + step + count) % count)].name;
}

/// Heading, column titles, and a line per class; 0 if no class has a finished job.
int class_panel_rows(const Model& model) {
  if (!model.summary() || model.summary()->classes.empty()) return 0;
  return 2 + static_cast<int>(model.summary()->classes.size());
}

void draw_classes(const FrameContext& frame, DrawRegion region, bool with_selection) {
  if (class_panel_rows(frame.model) == 0) return;
  const std::vector<ClassReport>& classes = frame.model.summary()->classes;
  region.heading(
      0, fmt::format("Classes {}", classes.size()),
      frame.with_whole_fleet_note("finished " + frame.counted_since() + ", against targets"));
  auto columns = fit_columns<ClassColumn>(class_columns, 1, region.columns());
  // The remaining width goes to the names.
  const int spare = region.columns() + 1 - column_after(columns, 1);
  widen(columns, "CLASS", std::clamp(spare, 0, 20));
  draw_column_titles(region, 1, columns, CellStyle::faint);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    if (row >= region.rows()) break;
    if (with_selection && static_cast<int>(i) == selected_class(frame.model, frame.ui)) {
      region.text(0, row, region.ascii() ? ">" : "▸", CellStyle::accent);
    }
    for (const auto& [column, at, width] : columns) {
      if (column->figure == nullptr) {
        draw_share(region, at, row, width, classes[i]);
        continue;
      }
      const Figure figure = column->figure(classes[i]);
      region.field(at, row, width, figure.text, figure.style, column->align);
    }
  }
}

void draw_class_histogram(const FrameContext& frame, DrawRegion region) {
  const int index = selected_class(frame.model, frame.ui);
  if (index < 0 || region.rows() < class_histogram_rows) return;
  const ClassReport& report = frame.model.summary()->classes[static_cast<std::size_t>(index)];
  region.heading(0, report.name, fmt::format("{}, h l: next", metric_words(report)));
  if (report.buckets.empty()) {
    region.field(0, 1, region.columns(),
                 report.values.count == 0 ? "no job of it has finished"
                                          : "the router counts no buckets of it yet",
                 CellStyle::faint);
    return;
  }
  const int bars = region.rows() - 3;
  const BucketScale scale = scale_of(report, region.columns());
  const std::vector<double> shares = histogram_shares(report, region.columns());
  region.curve({0, 1, scale.columns, bars}, shares, CellStyle::accent);
  const auto& text = texts_of(report).text;
  const int axis = region.rows() - 2;
  for (int column = 0; column < scale.columns; ++column) {
    region.text(column, axis, region.ascii() ? "-" : "─", CellStyle::faint);
  }
  const std::string low = text(class_bucket_begin(scale.first));
  const std::string high = text(class_bucket_begin(scale.last + 1));
  region.text(0, axis + 1, low, CellStyle::faint);
  region.text(std::max(0, scale.columns - columns_of(high)), axis + 1, high, CellStyle::faint);
  const int target = target_column(report, region.columns());
  if (target < 0) return;
  region.text(target, axis, region.ascii() ? "^" : "▲", CellStyle::strong);
  const std::string name = "target " + text(report.target);
  const int from = columns_of(low) + 1, until = scale.columns - columns_of(high) - 1;
  const int at =
      std::clamp(target - columns_of(name) / 2, from, std::max(from, until - columns_of(name)));
  if (at + columns_of(name) <= until) region.text(at, axis + 1, name, CellStyle::strong);
}

}  // namespace drover::tui
