// What stands above a list: panels as one page. Where they do not fit into the rows that the list
// leaves, the page scrolls (J, K), and its last row says so.
#pragma once

#include <functional>
#include <optional>

#include "tui/canvas/canvas.h"
#include "tui/canvas/pen.h"

namespace drover::tui {

/// Of `room` rows, those that show a page of so many.
int page_rows_seen(int page_rows, int room);

/// Rows for the page above a list that leaves it `most` of them. Where details are open below the
/// list, the page is there whole, or its first panels alone, which have `first_rows`.
int top_page_rows(int page_rows, int first_rows, int most, bool details);

/// `draw` gets a pen that has the whole page. `top`: the first row of it that is shown; none while
/// the keys scroll something else: then there is what fits.
void draw_top_page(Pen pen, int page_rows, std::optional<int> top,
                   const std::function<void(const Pen&)>& draw);

}  // namespace drover::tui
