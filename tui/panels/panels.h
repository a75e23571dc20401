// The panels that views are made of, and what they have in common.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/map/heat_map.h"
#include "tui/map/map_metric.h"
#include "tui/state/view.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

// One device, one decision, lists and the pages above them (panels.cpp).

void draw_device(const FrameContext& frame, DrawRegion region, DeviceTable::Row row,
                 std::string_view title);
/// Draws the decision without its heading from `row` on, which may be above the region: then less
/// is visible. Returns the row after it.
int draw_decision(DrawRegion& region, int row, const Decision& decision);
std::string decision_title(const Decision& decision);
int decision_rows(const Decision& decision);
/// "J K scroll, 3 more" if details are longer than their panel.
std::string scroll_note(int rows, int visible, int top);
/// Draws the heading of details of `rows` rows, which scroll if they are longer than the region.
/// `note`: beside the title if they do not scroll. Returns the region below the heading.
DrawRegion draw_details_heading(DrawRegion& region, std::string_view title, std::string_view note,
                                int rows, int top);
/// The scroll note after the time span of the charts.
std::string span_and_scroll_note(const ChartSpan& span, const std::string& scroll);

/// Draws the visible items of the view's list, from row `first` of the region on, and makes them
/// clickable. `selected`: an item; -1: none. `draw` draws an item on a row and returns whether a
/// click on it selects something: a click on a heading of the jobs view selects a job next to it.
void draw_items(const FrameContext& frame, DrawRegion& region, int first, const ListViewport& place,
                std::size_t count, int selected,
                const std::function<bool(int row, std::size_t item)>& draw);

/// On the last row of a list, a heading would have nothing below it: draws there how many lines
/// follow, and returns true. Does nothing on any other row, nor on the `first` one.
bool draw_cut_heading(DrawRegion& region, int row, int first, std::size_t lines_below);

/// A list with a page of panels above it and open details below it. If the page does not fit into
/// the rows that the list leaves, it scrolls (J, K), and its last row says so.
struct TableLayout {
  Rect top, list, details;  // `list` with its heading row; `details` empty when closed
};
/// `first_rows`: rows of the page's first panels. `top_max`: rows for the page while the details
/// are closed. While they are open, the page is shown completely, or only its first panels.
TableLayout lay_out_table(const Rect& area, int page_rows, int first_rows, int top_max,
                          int details_rows);
/// The rows that J and K scroll: of the open details, else of the page.
ScrolledRows scrolled_rows(const TableLayout& layout, int page_rows, int details_rows);
/// `draw` gets a region of the whole page. While J and K scroll the details, the page is shown from
/// its first row.
void draw_header_page(const FrameContext& frame, DrawRegion region, const TableLayout& layout,
                      int page_rows, const std::function<void(const DrawRegion&)>& draw);

/// Of a list on a terminal too small for panels: `line` of each item around the selected one (-1:
/// none).
template <typename Items, typename Line>
std::vector<CompactLine> list_lines(const Items& items, const ListViewport& place, int selected,
                                    int lines_max, const Line& line) {
  const int count = static_cast<int>(items.size());
  int first = std::clamp(place.top, 0, std::max(0, count - lines_max));
  if (selected >= 0) first = std::clamp(first, std::max(0, selected - lines_max + 1), selected);
  std::vector<CompactLine> lines;
  for (int item = first; item < std::min(count, first + lines_max); ++item) {
    lines.push_back(line(items[static_cast<std::size_t>(item)], item));
  }
  return lines;
}

/// "label  value" at a row; unknown values are faint.
void draw_fact(DrawRegion& region, int column, int row, int label_columns, std::string_view label,
               std::string_view value, CellStyle style = CellStyle::plain);

/// A device as one line.
CompactLine compact_device(const FrameContext& frame, DeviceTable::Row row, int item);

/// Wraps text at words; a word longer than `width` has a line of its own and is not cut.
std::vector<std::string> wrapped(std::string_view text, int width);

// The fleet view (fleet_panels.cpp, map_panel.cpp).

/// Hosts, devices, load, power and memory of the fleet.
void draw_totals(DrawRegion region, const Totals& totals);
/// The number of jobs by state, and its history.
void draw_job_counts(const FrameContext& frame, DrawRegion region);
/// Latencies, tokens, energy and cost.
void draw_service(const FrameContext& frame, DrawRegion region, const Totals& totals);

/// Replicas: a line per pool, model and precision.
void draw_replicas(const FrameContext& frame, DrawRegion region);
/// Load, power and queue of the whole fleet over time (fleet_charts.cpp). `totals`: of the devices
/// that match the filter.
void draw_fleet_charts(const FrameContext& frame, DrawRegion region, const Totals& totals);
ChartRange fleet_chart_range(const FrameContext& frame, int columns);
/// The newest decisions, a line each.
void draw_latest_decisions(const FrameContext& frame, DrawRegion region);

/// The heat map: its heading with the scale, and its cells from row `top` on. `selected`: a cell;
/// -1: none.
void draw_map(const FrameContext& frame, const HeatMap& map, MapMetric metric, int selected,
              int top, DrawRegion heading, DrawRegion cells);

// Jobs (job_panels.cpp).

/// Running jobs: training and batch jobs before requests.
void draw_running(const FrameContext& frame, DrawRegion region);
/// The given jobs, with or without the place where each runs.
void draw_running_jobs(const FrameContext& frame, DrawRegion region, std::string_view title,
                       std::span<const JobRow* const> jobs, bool with_place);
void draw_job_list(const FrameContext& frame, DrawRegion region, int selected);
/// "1020 > 129 tok", "4 dev, 900 st".
std::string work_amount_text(const Workload& work);
/// The words before the reason of a job in this state, and the style of both.
std::string_view reason_prefix(JobState state);
CellStyle job_note_style(JobState state);

// Pools (pool_panels.cpp).

/// Heading, column titles, a line per pool, and a line of the site.
int pool_panel_rows(const Model& model);
/// The chosen pool is marked.
void draw_pools(const FrameContext& frame, DrawRegion region);
/// The pools that have a line, in order; the first one is on this row of the panel.
std::vector<std::string> listed_pools(const Model& model);
inline constexpr int pool_panel_first_row = 2;

inline constexpr int fallback_panel_columns = 54;
/// Heading, column titles, and a line per reason, or a line that says that there was no fallback.
int fallback_panel_rows(const Model& model);
/// The cost difference of jobs that fell back, compared with their preferred pool, by reason.
void draw_fallbacks(const FrameContext& frame, DrawRegion region);

// Alerts and events (log_panels.cpp).

CellStyle severity_style(Severity severity);
/// Stands before a group of a list.
std::string_view fold_sign(bool open, bool ascii);

/// Groups of entries from `row` on, as far as there are rows: time, symbol, subjects, text. Long
/// texts take several rows.
void draw_log_entries(DrawRegion& region, int row, std::vector<LogEntry> entries);
/// Breaks texts that are longer than a list of `columns` has room for.
void wrap_log_lines(std::vector<LogLine>& lines, int columns);
/// Where the condition of a rule begins in a list of this width.
int rule_text_column(int columns);
/// A line of the list but no heading and not the first of a rule: of a raised alert with its age,
/// of another entry with its time.
void draw_log_line(const FrameContext& frame, DrawRegion& region, int row, const LogLine& line);

/// A heading and the raised alerts, most severe first.
void draw_alerts(const FrameContext& frame, DrawRegion region);
/// Rows of the alerts beside other panels, with the heading; 0 when no alert is raised.
int alert_rows(const Model& model, const FleetFilter& fleet_filter, int columns);
void draw_events(const FrameContext& frame, DrawRegion region);

// Temperature and throttling of the devices that match the filter (throttle_panels.cpp).

/// As many as the region has rows for.
void draw_hottest(const FrameContext& frame, DrawRegion region);

inline constexpr int throttle_time_panel_rows = 5;
void draw_throttle_times(const FrameContext& frame, DrawRegion region);

void draw_throttled(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
