// Keys, commands, reasons and symbols, as one page that scrolls.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int key_columns = 18;

class HelpView : public View {
 public:
  explicit HelpView(UiState& ui) : View(ui, &page_) {}

  void draw(const FrameContext&, const DrawRegion& region) const override {
    DrawRegion page = region;
    const int visible = page_.visible;
    if (visible < page.rows()) {
      const int below = static_cast<int>(ui_.help.size()) - page_.top - visible;
      page.heading(
          visible, below > 0 ? "Space: next page, PgUp: back" : "End, PgUp: back",
          below > 0
              ? counted(static_cast<std::uint64_t>(below), "more line", "more lines") + " below"
              : "");
    }
    for (int row = 0; row < visible; ++row) {
      const int item = page_.top + row;
      if (item >= static_cast<int>(ui_.help.size())) break;
      const HelpLine& line = ui_.help[static_cast<std::size_t>(item)];
      if (line.style == CellStyle::header) {
        page.heading(row, line.key);
        continue;
      }
      page.field(1, row, key_columns - 2, line.key, CellStyle::accent);
      page.field(key_columns, row, page.columns() - key_columns, line.text);
    }
  }

  std::vector<CompactLine> compact_lines(const FrameContext&, int lines_max) const override {
    const int first =
        std::clamp(page_.top, 0, std::max(0, static_cast<int>(ui_.help.size()) - lines_max));
    std::vector<CompactLine> lines;
    for (std::size_t i = static_cast<std::size_t>(first); i < ui_.help.size(); ++i) {
      lines.push_back({fmt::format("{} {}", ui_.help[i].key, ui_.help[i].text), ui_.help[i].style});
    }
    return lines;
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    const int lines = static_cast<int>(ui_.help.size());
    // If it scrolls, the last row is a hint.
    page_.scroll_to(-1, lines, lines > at.body.rows ? at.body.rows - 1 : at.body.rows);
    return {};
  }

  std::string search_text(const Model&, int index) const override {
    const HelpLine& line = ui_.help[static_cast<std::size_t>(index)];
    return line.key + " " + line.text;
  }

  bool back() override {
    ui_.view = ui_.before_help;
    return true;
  }

 private:
  ListViewport page_;
};

}  // namespace

std::unique_ptr<View> make_help_view(UiState& ui) { return std::make_unique<HelpView>(ui); }

}  // namespace drover::tui
