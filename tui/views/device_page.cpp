#include "tui/views/device_page.h"

#include <algorithm>
#include <utility>

namespace drover::tui {
namespace {

constexpr int wide_columns = 100;  // from here on, three charts and two lists are side by side
constexpr int roomy_columns = 160;
constexpr std::size_t list_max = 10;
constexpr int gap = 2;

PageLists lists_of(const Model& model, Instant now, DeviceTable::Row row, int columns) {
  const DeviceId id = model.id_of(row);
  PageLists lists;
  lists.real = model.spec_of(row).real;
  lists.board = model.board_of(row);
  lists.jobs = jobs_on(model, id);
  lists.causes = likely_causes_of(model, now, row, lists.jobs);
  lists.cause_lines = cause_lines(lists.causes, columns);
  lists.events = latest_log_entries(model, list_max, id);
  if (lists.real) return lists;
  lists.replicas = replicas_on(model, id);
  lists.device_decisions = decisions_about(model, row, list_max);
  lists.memory = memory_use_of(model, row);
  return lists;
}

/// A heading and at least one line, which may say that the list is empty.
int list_rows(std::size_t lines) {
  return 1 + static_cast<int>(std::clamp<std::size_t>(lines, 1, list_max));
}

int charts_abreast(int columns) { return columns < wide_columns ? 2 : 3; }

/// The number of charts above the strip of throttle reasons; the others are below it.
int charts_before_strip(int columns) { return columns < wide_columns ? 6 : metric_chart_count; }

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

/// Panels below the charts, in one column or two.
class Columns {
 public:
  Columns(int columns, int first_row)
      : abreast_(columns >= wide_columns),
        left_columns_(abreast_ ? (columns - gap) / 2 : columns),
        right_at_(abreast_ ? left_columns_ + gap : 0),
        right_columns_(columns - right_at_),
        left_row_(first_row),
        right_row_(first_row) {}

  Rect left(int rows) { return place(0, left_columns_, left_row_, rows); }
  Rect right(int rows) {
    return place(right_at_, right_columns_, abreast_ ? right_row_ : left_row_, rows);
  }
  int right_columns() const { return right_columns_; }
  int end() const { return std::max(left_row_, right_row_) - 1; }

 private:
  static Rect place(int column, int width, int& row, int rows) {
    const Rect rect{column, row, width, rows};
    if (rows > 0) row += rows + 1;
    return rect;
  }

  bool abreast_;
  int left_columns_, right_at_, right_columns_;
  int left_row_, right_row_;
};

void place_panels_of_real(DevicePage& page, Columns& panels, const PageLists& lists) {
  // In one column, what the board says comes before long lists of processes.
  page.facts = panels.right(board_fact_rows(panels.right_columns()));
  page.partitions = panels.left(partition_rows(lists.board));
  page.processes = panels.left(process_rows(lists.board));
  page.events = panels.right(list_rows(lists.events.size()));
}

void place_panels_of_emulated(DevicePage& page, Columns& panels, const PageLists& lists) {
  page.memory = panels.left(memory_rows(lists.memory));
  page.replicas = panels.left(list_rows(lists.replicas.size()) + 1);
  page.jobs = panels.left(list_rows(lists.jobs.size()));
  page.facts = panels.right(limits_rows(panels.right_columns()));
  page.decisions = panels.right(list_rows(lists.device_decisions.size()));
  page.events = panels.right(list_rows(lists.events.size()));
}

DevicePage lay_out_page(int columns, const PageLists& lists, int more_rows) {
  DevicePage page;
  page.real = lists.real;
  const int before_strip = charts_before_strip(columns);
  place_charts(page, columns, before_strip, more_rows);
  page.strip = {0, page.rows, columns, 3};
  page.rows += 3;
  place_charts(page, columns, metric_chart_count - before_strip, more_rows);
  if (!lists.causes.empty()) {
    page.causes = {0, page.rows, columns, 1 + static_cast<int>(lists.cause_lines.size())};
    page.rows += page.causes.rows + 1;
  }
  Columns panels(columns, page.rows);
  if (lists.real) {
    place_panels_of_real(page, panels, lists);
  } else {
    place_panels_of_emulated(page, panels, lists);
  }
  page.rows = panels.end();
  return page;
}

/// Lays out the page for `room`: spare rows make all charts higher, two rows at a time, so that
/// they keep a middle row.
DevicePage lay_out_page_on(Size room, const PageLists& lists) {
  DevicePage page = lay_out_page(room.columns, lists, 0);
  const int before_strip = charts_before_strip(room.columns);
  const int lines = lines_of_charts(room.columns, before_strip) +
                    lines_of_charts(room.columns, metric_chart_count - before_strip);
  const int more_rows = std::max(0, room.rows - page.rows) / lines / 2 * 2;
  return more_rows == 0 ? page : lay_out_page(room.columns, lists, more_rows);
}

}  // namespace

Rect DevicePage::figure(int index) const {
  if (index < throttle_formula_index) {
    const Rect& chart = charts[static_cast<std::size_t>(index)];
    return {chart.column, chart.row, chart.columns, 1};
  }
  if (index == throttle_formula_index) return {strip.column, strip.row, strip.columns, 1};
  const int fact = index - first_limit;
  const Rect place =
      real ? board_fact_place(fact, facts.columns) : limit_place(fact, facts.columns);
  return {facts.column + place.column, facts.row + place.row, place.columns, 1};
}

int chart_columns(int columns) {
  const int abreast = charts_abreast(columns);
  return (columns - gap * (abreast - 1)) / abreast;
}

DeviceLayout lay_out_device(const Model& model, Instant now, DeviceTable::Row row, Size area,
                            std::vector<DetailLine> panel) {
  DeviceLayout layout;
  layout.head_rows = model.condition_of(row) == nullptr ? 2 : 3;
  layout.lists = lists_of(model, now, row, area.columns);
  const int room = std::max(0, area.rows - layout.head_rows);
  // An open figure does not change the page; only fewer of its rows are visible.
  layout.page = lay_out_page_on({area.columns, room}, layout.lists);
  layout.panel = std::move(panel);
  if (!layout.panel.empty()) {
    layout.panel_rows = std::min(static_cast<int>(layout.panel.size()) + 1, (room + 1) / 2);
  }
  layout.page_rows_seen = room - layout.panel_rows;
  return layout;
}

}  // namespace drover::tui
