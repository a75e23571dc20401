// Jobs: which wait and why, which run and until when, which failed and why. The page above the list
// has the reasons for waiting and failure, and the targets of job classes.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/view_layouts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// The width that shows all columns.
constexpr int class_panel_columns = 82;

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
    {"P50", 7, Align::right, 5, percentile<&Percentiles::p50>},
    {"P90", 7, Align::right, 3, percentile<&Percentiles::p90>},
    {"P99", 7, Align::right, 2, percentile<&Percentiles::p99>},
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

/// Heading, column titles, and a line per class; 0 if no class has a finished job.
int class_panel_rows(const Model& model) {
  if (!model.summary() || model.summary()->classes.empty()) return 0;
  return 2 + static_cast<int>(model.summary()->classes.size());
}

void draw_classes(const FrameContext& frame, DrawRegion region) {
  if (class_panel_rows(frame.model) == 0) return;
  const std::vector<ClassReport>& classes = frame.model.summary()->classes;
  region.heading(
      0, fmt::format("Classes {}", classes.size()),
      frame.with_whole_fleet_note("finished " + frame.counted_since() + ", against targets"));
  auto columns = fit_columns<ClassColumn>(class_columns, 0, region.columns() + 1);
  // The remaining width goes to the names.
  const int spare = region.columns() + 1 - column_after(columns, 0);
  widen(columns, "CLASS", std::clamp(spare, 0, 20));
  draw_column_titles(region, 1, columns, CellStyle::faint);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    if (row >= region.rows()) break;
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

constexpr int reasons_columns_least = 34;
constexpr int jobs_gap = 2;

using Counts = std::map<Reason, std::uint64_t>;

/// Reasons by count, as bars relative to the greatest.
void draw_reasons(const FrameContext& frame, DrawRegion region, std::string_view title,
                  const Counts& counts, CellStyle fill, const std::string& since) {
  std::vector<std::pair<std::uint64_t, Reason>> rows;
  std::uint64_t all = 0;
  for (const auto& [reason, count] : counts) {
    rows.emplace_back(count, reason);
    all += count;
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const bool known = frame.model.summary().has_value();
  std::string note = known ? count_text(static_cast<double>(all)) : std::string(not_known);
  if (!since.empty()) note += " " + since;
  region.heading(0, title, frame.with_whole_fleet_note(note));
  const int bar = std::clamp(region.columns() - 16, 0, 30);
  const int rest = region.columns() - 16 - bar - 1;
  for (std::size_t i = 0; i < rows.size() && static_cast<int>(i) + 1 < region.rows(); ++i) {
    const int row = static_cast<int>(i) + 1;
    const ReasonFacts& reason = facts(rows[i].second);
    region.field(0, row, 15, reason.name);
    region.gauge(16, row, bar,
                 static_cast<double>(rows[i].first) / static_cast<double>(rows.front().first),
                 count_text(static_cast<double>(rows[i].first)), fill);
    if (rest > 12) region.field(16 + bar + 1, row, rest, reason.meaning, CellStyle::faint);
  }
  if (rows.empty() && known) region.text(0, 1, "none", CellStyle::faint);
}

int reason_rows(const Model& model) {
  if (!model.summary()) return 1;
  return static_cast<int>(
      std::max(model.summary()->queued_for.size(), model.summary()->failures.size()));
}

void draw_jobs_page(const FrameContext& frame, const JobsPage& page, const DrawRegion& region) {
  const Summary sums = frame.model.summary().value_or(Summary{});
  draw_reasons(frame, region.on(page.waiting), "Waiting for", sums.queued_for, CellStyle::fill_warm,
               "now");
  draw_reasons(frame, region.on(page.failed), "Failed for", sums.failures, CellStyle::fill_critical,
               frame.counted_since());
  if (page.classes.rows > 0) draw_classes(frame, region.on(page.classes));
}

class JobsView : public View {
 public:
  explicit JobsView(UiState& ui) : View(ui, &ui.jobs.place), list_(ui.jobs) {}

  void forget_layout() override { list_.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    draw_header_page(frame, region, layout_, page_.rows,
                     [&](const DrawRegion& page) { draw_jobs_page(frame, page_, page); });
    draw_job_list(frame, region.on(layout_.list), selected(frame.model));
    const JobChanged* const job = chosen_job(frame.model, list_);
    if (layout_.details.rows > 0 && job != nullptr) {
      draw_job_details(frame, region.on(layout_.details), *job);
    }
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](const JobLine& line, int item) -> CompactLine {
      if (line.kind == JobLine::Kind::heading) {
        return {fmt::format("{} {}", to_text(line.section), line.count), CellStyle::header};
      }
      const auto job = frame.model.jobs().find(line.job);
      if (job == frame.model.jobs().end()) return {to_short_text(line.job), CellStyle::faint, item};
      const JobChanged& reported = job->second.reported;
      return {fmt::format("{} {} {}", to_short_text(line.job).substr(0, 4), reported.job.work.model,
                          reported.reason         ? to_text(*reported.reason)
                          : reported.progress > 0 ? percent_text(reported.progress)
                                                  : reported.target),
              CellStyle::plain, item};
    };
    return list_lines(list_.lines, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    list_.open = list_.open && chosen_job(at.model, list_) != nullptr;
    const int details = job_details_rows(at.model, list_);
    page_ = lay_out_jobs_page(at.model, at.body.columns);
    layout_ = lay_out_jobs(at.body, page_, details);
    const int rows = layout_.list.rows - 1;
    list_.lines = list_jobs(at.model, ui_.fleet_filter, list_.filter, rows);
    list_.place.scroll_to(index_of_chosen(list_), items(), rows);
    return scrolled_rows(layout_, page_.rows, details);
  }

  std::optional<int> count() const override { return static_cast<int>(list_.lines.size()); }
  int selected(const Model&) const override { return index_of_chosen(list_); }
  void select(const Model&, int index, int direction) override {
    choose_job(list_, index, direction);
  }

  std::string search_text(const Model& model, int index) const override {
    const JobLine& line = list_.lines[static_cast<std::size_t>(index)];
    const auto job = model.jobs().find(line.job);
    if (line.kind == JobLine::Kind::heading || job == model.jobs().end()) return {};
    const JobChanged& reported = job->second.reported;
    return fmt::format("{} {} {} {} {} {} {} {}", to_text(reported.job.id),
                       to_text(reported.job.work.kind), reported.job.work.model,
                       reported.job.tenant, to_text(reported.state), reported.target, reported.pool,
                       reported.reason ? to_text(*reported.reason) : "");
  }

  /// Opens the job's details; from these, goes to its device.
  std::optional<ViewId> open_selected(const KeyContext& context) override {
    if (std::exchange(list_.open, list_.chosen.has_value())) return open_device(context);
    return std::nullopt;
  }

  bool close() override { return list_.open && leave_list(ui_, list_); }
  bool back() override { return leave_list(ui_, list_); }
  void tag(const KeyContext& context) override {
    context.cursor.say(toggle_tag(ui_.tagged_jobs, list_.chosen, "job"));
    if (list_.chosen) move_on(context);
  }

 private:
  std::optional<ViewId> open_device(const KeyContext& context) {
    const JobChanged* const job = chosen_job(context.model, list_);
    const auto device = job == nullptr || job->target.empty()
                            ? std::nullopt
                            : find_device(context.model, job->target);
    if (!device) {
      context.cursor.say("the job has no device");
      return std::nullopt;
    }
    ui_.device = device;
    return ViewId::device;
  }

  JobList& list_;
  JobsPage page_;
  TableLayout layout_;
};

}  // namespace

JobsPage lay_out_jobs_page(const Model& model, int columns) {
  JobsPage page;
  const int reasons = std::max(1, reason_rows(model)) + 1;
  const int classes = class_panel_rows(model);
  const bool beside =
      classes > 0 && columns >= 2 * (reasons_columns_least + jobs_gap) + class_panel_columns;
  const int left = beside ? columns - class_panel_columns - jobs_gap : columns;
  const SizeHint half{reasons_columns_least, 400, 1};
  const std::vector<Rect> parts = cut_columns({0, 0, left, reasons}, {half, half}, jobs_gap);
  page.waiting = parts[0];
  page.failed = parts[1];
  page.rows = reasons;
  if (classes == 0) return page;
  page.classes = beside ? Rect{left + jobs_gap, 0, class_panel_columns, classes}
                        : Rect{0, reasons, columns, classes};
  page.rows = std::max(reasons, page.classes.row + classes);
  return page;
}

TableLayout lay_out_jobs(const Rect& area, const JobsPage& page, int details) {
  return lay_out_table(area, page.rows, page.waiting.rows, area.rows / 2, details);
}

std::unique_ptr<View> make_jobs_view(UiState& ui) { return std::make_unique<JobsView>(ui); }

}  // namespace drover::tui
