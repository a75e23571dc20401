// Panels above a list, as one page. If they do not fit into the rows that the list leaves, the page
// scrolls (J, K), and its last row says so.
#pragma once

#include <functional>
#include <optional>

#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// How many of `room` rows show the page of `page_rows`: one less if it scrolls.
int page_rows_seen(int page_rows, int room);

/// Rows of the page above a list that leaves it `rows_max`. While details are open below the list,
/// the page is shown completely, or only its first panels, which have `first_rows`.
int header_page_rows(int page_rows, int first_rows, int rows_max, bool details);
/// `draw` gets a region of the whole page. `top`: the first visible row; nullopt while J and K
/// scroll something else: then the page is shown from its first row.
void draw_header_page(DrawRegion region, int page_rows, std::optional<int> top,
                      const std::function<void(const DrawRegion&)>& draw);

}  // namespace drover::tui
