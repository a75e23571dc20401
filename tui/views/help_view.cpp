#include "tui/views/help_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr int key_columns = 18;

}  // namespace

void HelpView::draw(const FrameContext&, const DrawRegion& region) const {
  DrawRegion page = region;
  const int visible = page_.visible;
  if (visible < page.rows()) {
    const int below = static_cast<int>(lines_.size()) - page_.top - visible;
    page.heading(
        visible, below > 0 ? "Space: next page, PgUp: back" : "End, PgUp: back",
        below > 0 ? counted(static_cast<std::uint64_t>(below), "more line", "more lines") + " below"
                  : "");
  }
  for (int row = 0; row < visible; ++row) {
    const int item = page_.top + row;
    if (item >= static_cast<int>(lines_.size())) break;
    const HelpLine& line = lines_[static_cast<std::size_t>(item)];
    if (line.style == CellStyle::header) {
      page.heading(row, line.key);
      continue;
    }
    page.field(1, row, key_columns - 2, line.key, CellStyle::accent);
    page.field(key_columns, row, page.columns() - key_columns, line.text);
  }
}

std::vector<CompactLine> HelpView::compact_lines(const FrameContext&, int lines_max) const {
  const int first =
      std::clamp(page_.top, 0, std::max(0, static_cast<int>(lines_.size()) - lines_max));
  std::vector<CompactLine> lines;
  for (std::size_t i = static_cast<std::size_t>(first); i < lines_.size(); ++i) {
    lines.push_back({fmt::format("{} {}", lines_[i].key, lines_[i].text), lines_[i].style});
  }
  return lines;
}

ScrolledRows HelpView::lay_out(const LayoutInput& at) {
  const int lines = static_cast<int>(lines_.size());
  // If it scrolls, the last row is a hint.
  page_.scroll_to(-1, lines, lines > at.body.rows ? at.body.rows - 1 : at.body.rows);
  return {};
}

std::string HelpView::search_text(const Model&, int index) const {
  const HelpLine& line = lines_[static_cast<std::size_t>(index)];
  return line.key + " " + line.text;
}

bool HelpView::back() {
  ui_.view = ui_.before_help;
  return true;
}

}  // namespace drover::tui
