// Jobs: which wait and why, which run and until when, which failed and why. The page above the list
// has the reasons for waiting and failure, and the targets of job classes.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/jobs/class_panel.h"
#include "tui/jobs/job_details.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"
#include "tui/views/view_layouts.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int reasons_columns_least = 34;
constexpr int jobs_gap = 2;
constexpr int class_histogram_least = 110;  // columns from which on it is beside the reasons

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
  const bool with_histogram = page.histogram.rows > 0;
  if (page.classes.rows > 0) draw_classes(frame, region.on(page.classes), with_histogram);
  if (with_histogram) draw_class_histogram(frame, region.on(page.histogram));
}

class JobsView : public View {
 public:
  explicit JobsView(UiState& ui) : View(ui, &ui.jobs.place), list_(ui.jobs) {}

  void forget_layout() override { list_.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    draw_header_page(frame, region, layout_, page_.rows,
                     [&](const DrawRegion& page) { draw_jobs_page(frame, page_, page); });
    draw_job_list(frame, region.on(layout_.list), selected(frame.model));
    const JobRow* const job = chosen_job(frame.model, list_);
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
    const int details = job_details_rows(at.model, list_, at.now);
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

  void move(const KeyContext& context, Move direction) override {
    if (direction == Move::left) return step_class(context.model, ui_, -1);
    if (direction == Move::right) return step_class(context.model, ui_, 1);
    View::move(context, direction);
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
    const JobRow* const job = chosen_job(context.model, list_);
    const auto device = job == nullptr || job->reported.target.empty()
                            ? std::nullopt
                            : find_device(context.model, job->reported.target);
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
  // The classes keep their width, so that a wider screen shows each of their columns as well.
  const bool roomy = classes > 0 && !beside && columns >= class_histogram_least;
  const int left = beside  ? columns - class_panel_columns - jobs_gap
                   : roomy ? columns - class_histogram_columns - jobs_gap
                           : columns;
  const SizeHint half{reasons_columns_least, 400, 1};
  const std::vector<Rect> parts = cut_columns({0, 0, left, reasons}, {half, half}, jobs_gap);
  page.waiting = parts[0];
  page.failed = parts[1];
  page.rows = reasons;
  if (classes == 0) return page;
  const int histogram_rows = std::max(classes, class_histogram_rows);
  if (beside) {
    page.classes = {left + jobs_gap, 0, class_panel_columns, classes};
    // Below the reasons.
    page.histogram = {0, reasons, left, histogram_rows};
  } else {
    if (roomy) {
      page.histogram = {left + jobs_gap, 0, class_histogram_columns,
                        std::max(reasons, class_histogram_rows)};
    }
    page.classes = {0, std::max(reasons, page.histogram.rows), columns, classes};
  }
  page.rows =
      std::max({reasons, page.classes.row + classes, page.histogram.row + page.histogram.rows});
  return page;
}

TableLayout lay_out_jobs(const Rect& area, const JobsPage& page, int details) {
  // With the histogram, if it is beside the reasons.
  const int first = page.histogram.row == 0 ? std::max(page.waiting.rows, page.histogram.rows)
                                            : page.waiting.rows;
  return lay_out_table(area, page.rows, first, area.rows / 2, details);
}

std::unique_ptr<View> make_jobs_view(UiState& ui) { return std::make_unique<JobsView>(ui); }

}  // namespace drover::tui
