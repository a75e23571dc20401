#include "tui/panels/jobs_page.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/panels/class_panel.h"

namespace drover::tui {
namespace {

constexpr int reasons_columns_least = 34;
constexpr int jobs_gap = 2;

using Counts = std::map<Reason, std::uint64_t>;

/// Reasons by count, as bars relative to the greatest.
void draw_reasons(const FrameContext& frame, DrawRegion region, std::string_view title,
                  const Counts& counts, CellStyle fill) {
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
  region.heading(0, title,
                 frame.with_whole_fleet_note(known ? count_text(static_cast<double>(all))
                                                   : std::string(not_known)));
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

}  // namespace

JobsPage lay_out_jobs_page(const Model& model, int columns) {
  JobsPage page;
  const int reasons = std::max(1, reason_rows(model)) + 1;
  const int classes = class_panel_rows(model);
  const bool beside =
      classes > 0 && columns >= 2 * (reasons_columns_least + jobs_gap) + class_panel_columns;
  const int left = beside ? columns - class_panel_columns - jobs_gap : columns;
  const std::array<SizeHint, 2> halves = {SizeHint{reasons_columns_least, 400, 1},
                                          SizeHint{reasons_columns_least, 400, 1}};
  const std::vector<Rect> parts = cut_columns({0, 0, left, reasons}, halves, jobs_gap);
  page.waiting = parts[0];
  page.failed = parts[1];
  page.rows = reasons;
  if (classes == 0) return page;
  page.classes = beside ? Rect{left + jobs_gap, 0, class_panel_columns, classes}
                        : Rect{0, reasons, columns, classes};
  page.rows = std::max(reasons, page.classes.row + classes);
  return page;
}

void draw_jobs_page(const FrameContext& frame, const DrawRegion& region) {
  const JobsPage page = lay_out_jobs_page(frame.model, region.columns());
  const Summary sums = frame.model.summary().value_or(Summary{});
  draw_reasons(frame, region.on(page.waiting), "Waiting for", sums.queued_for,
               CellStyle::fill_warm);
  draw_reasons(frame, region.on(page.failed), "Failed for", sums.failures,
               CellStyle::fill_critical);
  if (page.classes.rows > 0) draw_classes(frame, region.on(page.classes));
}

}  // namespace drover::tui
