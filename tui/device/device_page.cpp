#include "tui/device/device_page.h"

#include <algorithm>

#include "tui/device/device_charts.h"
#include "tui/device/device_limits.h"

namespace drover::tui {
namespace {

constexpr int wide_columns = 100;  // from here on, three charts and two lists are side by side
constexpr int roomy_columns = 160;
constexpr std::size_t list_max = 10;
constexpr int gap = 2;

PageLists lists_of(const Model& model, DeviceTable::Row row) {
  const DeviceId id = model.id_of(row);
  return {replicas_on(model, id), jobs_on(model, id), decisions_about(model, row, list_max),
          latest_log_entries(model, list_max, id), memory_use_of(model, row)};
}

/// A heading and at least one line, which may say that the list is empty.
int list_rows(std::size_t lines) {
  return 1 + static_cast<int>(std::clamp<std::size_t>(lines, 1, list_max));
}

int charts_abreast(int columns) { return columns < wide_columns ? 2 : 3; }

/// The number of charts above the strip of throttle reasons; the others are below it.
int charts_before_strip(int columns) { return columns < wide_columns ? 6 : metric_chart_count; }

int chart_columns(int columns) {
  const int abreast = charts_abreast(columns);
  return (columns - gap * (abreast - 1)) / abreast;
}

int lines_of_charts(int columns, int count) {
  return (count + charts_abreast(columns) - 1) / charts_abreast(columns);
}

void place_charts(DevicePage& page, int columns, int count, int more_rows) {
  const int abreast = charts_abreast(columns);
  const int width = chart_columns(columns);
  const int rows = (columns < wide_columns ? 5 : columns < roomy_columns ? 7 : 9) + more_rows;
  for (int i = 0; i < count; ++i) {
    const int place = i % abreast;
    // The last one gets the remainder of the division.
    const int own = place + 1 < abreast ? width : columns - place * (width + gap);
    page.charts.push_back({place * (width + gap), page.rows + i / abreast * rows, own, rows});
  }
  page.rows += lines_of_charts(columns, count) * rows;
}

DevicePage lay_out_page(int columns, const PageLists& lists, int more_rows) {
  DevicePage page;
  const int before_strip = charts_before_strip(columns);
  place_charts(page, columns, before_strip, more_rows);
  page.strip = {0, page.rows, columns, 3};
  page.rows += 3;
  place_charts(page, columns, metric_chart_count - before_strip, more_rows);
  const bool abreast = columns >= wide_columns;
  const int left = abreast ? (columns - gap) / 2 : columns;
  const auto place = [](int column, int width, int& row, int rows) {
    const Rect rect{column, row, width, rows};
    row += rect.rows + 1;
    return rect;
  };
  int left_row = page.rows;
  page.memory = place(0, left, left_row, memory_rows(lists.memory));
  page.replicas = place(0, left, left_row, list_rows(lists.replicas.size()) + 1);
  page.jobs = place(0, left, left_row, list_rows(lists.jobs.size()));
  int right_row = abreast ? page.rows : left_row;
  const int right = abreast ? left + gap : 0;
  page.limits = place(right, columns - right, right_row, limits_rows(columns - right));
  page.decisions =
      place(right, columns - right, right_row, list_rows(lists.device_decisions.size()));
  page.events = place(right, columns - right, right_row, list_rows(lists.events.size()));
  page.rows = std::max(left_row, right_row) - 1;
  return page;
}

/// Lays out the page for `room`: spare rows make all charts higher, two rows at a time, so that
/// they keep a middle row.
DevicePage lay_out_page_on(Size room, const PageLists& lists) {
  const DevicePage page = lay_out_page(room.columns, lists, 0);
  const int before_strip = charts_before_strip(room.columns);
  const int lines = lines_of_charts(room.columns, before_strip) +
                    lines_of_charts(room.columns, metric_chart_count - before_strip);
  const int more_rows = std::max(0, room.rows - page.rows) / lines / 2 * 2;
  return more_rows == 0 ? page : lay_out_page(room.columns, lists, more_rows);
}

std::vector<FormulaLine> panel_of(const FormulaSelection& figure, const SpecFacts& facts,
                                  int columns) {
  if (!figure.open || figure.index < 0) return {};
  return formula_lines(metric_formulas()[static_cast<std::size_t>(figure.index)], facts, columns);
}

}  // namespace

Rect DevicePage::figure(int index) const {
  if (index < throttle_formula_index) {
    const Rect& chart = charts[static_cast<std::size_t>(index)];
    return {chart.column, chart.row, chart.columns, 1};
  }
  if (index == throttle_formula_index) return {strip.column, strip.row, strip.columns, 1};
  const Rect place = limit_place(index - first_limit, limits.columns);
  return {limits.column + place.column, limits.row + place.row, place.columns, 1};
}

DeviceLayout lay_out_device(const Model& model, const UiState& ui, DeviceTable::Row row,
                            const SpecFacts& facts, Size area) {
  DeviceLayout layout;
  layout.head_rows = model.condition_of(row) == nullptr ? 2 : 3;
  layout.lists = lists_of(model, row);
  const int room = std::max(0, area.rows - layout.head_rows);
  // An open formula does not change the page; only fewer of its rows are visible.
  layout.page = lay_out_page_on({area.columns, room}, layout.lists);
  layout.panel = panel_of(ui.figure, facts, area.columns);
  if (!layout.panel.empty()) {
    layout.panel_rows = std::min(static_cast<int>(layout.panel.size()) + 1, (room + 1) / 2);
  }
  layout.page_rows_seen = room - layout.panel_rows;
  return layout;
}

TimeWindow page_window(const FrameContext& frame, int columns) {
  const int chart = chart_columns(columns);
  TimeWindow window = window_of(frame, chart - value_axis_columns(chart));
  window.bin *= zoom_factors[static_cast<std::size_t>(frame.ui.zoom)];
  return window;
}

}  // namespace drover::tui
