// Panels that are used by more than one view.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/state/frame_context.h"
#include "tui/state/view.h"

namespace drover::tui {

void draw_device(const FrameContext& frame, DrawRegion region, DeviceTable::Row row,
                 std::string_view title);
/// Draws the decision without its heading from `row` on, which may be above the region: then less
/// is visible. Returns the row after it.
int draw_decision(DrawRegion& region, int row, const Decision& decision);
std::string decision_title(const Decision& decision);
int decision_rows(const Decision& decision);
/// "J K scroll, 3 more" if details are longer than their panel.
std::string scroll_note(int rows, int visible, int top);
/// The scroll note after the time range of the charts, if they are zoomed out.
std::string zoomed_note(const UiState& ui, const std::string& scroll);
void draw_events(const FrameContext& frame, DrawRegion region);

/// Draws the visible items of the view's list, from row `first` of the region on, and makes them
/// clickable. `selected`: an item; -1: none. `draw` draws an item on a row and returns whether a
/// click on it selects something: a click on a heading of the jobs view selects a job next to it.
void draw_items(const FrameContext& frame, DrawRegion& region, int first, const ListViewport& place,
                std::size_t count, int selected,
                const std::function<bool(int row, std::size_t item)>& draw);

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

}  // namespace drover::tui
