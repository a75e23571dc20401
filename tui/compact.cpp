#include "tui/compact.h"

#include <algorithm>

#include "tui/panels/prompt_panel.h"
#include "tui/screen.h"

namespace drover::tui {
namespace {

/// Width from which on the clock is labelled in full.
constexpr int clock_words_columns = 40;

}  // namespace

bool is_compact(Size size) {
  return size.columns < panels_size.columns || size.rows < panels_size.rows;
}

void draw_compact(const FrameContext& frame, const View& view, Canvas& canvas) {
  const Size size = canvas.size();
  const bool ascii = frame.options.ascii;
  DrawRegion title(canvas, {0, 0, size.columns, 1}, ascii);
  title.blank(CellStyle::title);
  std::string clock = to_clock_text(frame.now);
  if (frame.clock_differs())
    clock += size.columns >= clock_words_columns ? " fleet time" : " fleet";
  const int room = size.columns - static_cast<int>(clock.size()) - 1;
  title.field(0, 0, room, to_text(frame.ui.view), CellStyle::badge);
  title.text(room + 1, 0, clock, CellStyle::title);
  const std::string banner = banner_of(frame, size.columns);
  const bool with_hints = size.rows >= 5;
  int top = 1;
  if (!banner.empty() && size.rows >= 3) {
    title.on({0, top++, size.columns, 1}).field(0, 0, size.columns, banner, CellStyle::alarm);
  }
  const int rows = size.rows - top - (with_hints ? 1 : 0);
  DrawRegion body(canvas, {0, top, size.columns, std::max(0, rows)}, ascii);
  int row = 0;
  const int selected = view.selected(frame.model);
  for (const CompactLine& line : view.compact_lines(frame, body.rows())) {
    if (row >= body.rows()) break;
    body.field(0, row, body.columns(), line.text, line.style);
    if (line.item >= 0) {
      frame.click_targets.add(body.row_area(row), ClickTarget::Kind::item, line.item);
      if (line.item == selected) body.tint(row, CellStyle::selected);
    }
    ++row;
  }
  if (row < body.rows()) {
    view.draw_below_lines(frame, body.on({0, top + row, size.columns, body.rows() - row}));
  }
  if (frame.ui.prompt) {
    draw_prompt(*frame.ui.prompt, DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii));
  } else if (with_hints) {
    DrawRegion last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
    last.field(0, 0, size.columns, "q quit ? help Tab / :", CellStyle::faint);
  }
}

}  // namespace drover::tui
