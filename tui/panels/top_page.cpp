#include "tui/panels/top_page.h"

#include <algorithm>

#include <fmt/format.h>

namespace drover::tui {

int page_rows_seen(int page_rows, int room) {
  // With a single row there is none to spare for words.
  return page_rows <= room || room < 2 ? room : room - 1;
}

int top_page_rows(int page_rows, int first_rows, int most, bool details) {
  return std::min(details && page_rows > most ? first_rows : page_rows, most);
}

void draw_top_page(Pen pen, int page_rows, std::optional<int> top,
                   const std::function<void(const Pen&)>& draw) {
  if (pen.rows() <= 0 || page_rows <= 0) return;
  Canvas canvas({pen.columns(), page_rows});
  draw(Pen(canvas, {0, 0, pen.columns(), page_rows}, pen.ascii()));
  const int seen = page_rows_seen(page_rows, pen.rows());
  pen.paste(canvas, top.value_or(0), 0);
  if (seen == pen.rows() || !top) return;
  const int below = std::max(0, page_rows - seen - *top);
  pen.text(0, seen, std::string(static_cast<std::size_t>(pen.columns()), ' '));
  pen.field(0, seen, pen.columns(),
            below > 0 ? fmt::format("{} more below: J K scroll", below) : "the end: J K scroll",
            Role::faint, Align::right);
}

}  // namespace drover::tui
