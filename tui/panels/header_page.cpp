#include "tui/panels/header_page.h"

#include <algorithm>

#include <fmt/format.h>

namespace drover::tui {

int page_rows_seen(int page_rows, int room) {
  // A single row leaves none for the hint.
  return page_rows <= room || room < 2 ? room : room - 1;
}

int header_page_rows(int page_rows, int first_rows, int rows_max, bool details) {
  return std::min(details && page_rows > rows_max ? first_rows : page_rows, rows_max);
}

void draw_header_page(DrawRegion region, int page_rows, std::optional<int> top,
                      const std::function<void(const DrawRegion&)>& draw) {
  if (region.rows() <= 0 || page_rows <= 0) return;
  Canvas canvas({region.columns(), page_rows});
  draw(DrawRegion(canvas, {0, 0, region.columns(), page_rows}, region.ascii()));
  const int seen = page_rows_seen(page_rows, region.rows());
  region.paste(canvas, top.value_or(0), 0);
  if (seen == region.rows() || !top) return;
  const int below = std::max(0, page_rows - seen - *top);
  region.text(0, seen, std::string(static_cast<std::size_t>(region.columns()), ' '));
  region.field(0, seen, region.columns(),
               below > 0 ? fmt::format("{} more below: J K scroll", below) : "end: J K scroll",
               CellStyle::faint, Align::right);
}

}  // namespace drover::tui
