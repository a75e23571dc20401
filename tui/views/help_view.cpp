// First the keys of the view that the user came from, on one screen; then, one key further, all
// keys, commands, reasons and signs as one page that scrolls.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int key_columns = 18;

// The page of one view.
constexpr int column_width_least = 38, columns_between = 2, columns_max = 3;
constexpr int short_key_columns = 12;
constexpr int rows_around = 2;  // purpose and hint
constexpr int signs_between = 2;

using HelpColumns = std::vector<std::vector<HelpLine>>;

/// The groups, in columns of `rows` rows. Groups stay whole and apart if all columns then suffice.
HelpColumns whole_groups(const ViewHelp& help, std::size_t rows) {
  HelpColumns columns(1);
  for (const auto& group : help.groups) {
    std::vector<HelpLine>& last = columns.back();
    if (!last.empty() && last.size() + 1 + group.size() > rows) {
      columns.push_back(group);
      continue;
    }
    if (!last.empty()) last.emplace_back();
    last.insert(last.end(), group.begin(), group.end());
  }
  return columns;
}

/// The lines of all groups one after the other; a heading never ends a column.
HelpColumns packed_lines(const ViewHelp& help, std::size_t count) {
  std::vector<HelpLine> all;
  for (const auto& group : help.groups) all.insert(all.end(), group.begin(), group.end());
  const std::size_t rows = (all.size() + count - 1) / count;
  HelpColumns columns(1);
  for (const HelpLine& line : all) {
    const bool is_heading = line.style == CellStyle::header;
    if (columns.back().size() + (is_heading ? 1 : 0) >= rows && columns.size() < count)
      columns.emplace_back();
    columns.back().push_back(line);
  }
  return columns;
}

HelpColumns flow(const ViewHelp& help, std::size_t count, std::size_t rows) {
  for (std::size_t height = 1; height <= rows; ++height) {
    HelpColumns columns = whole_groups(help, height);
    const bool fits =
        std::ranges::all_of(columns, [&](const auto& column) { return column.size() <= height; });
    if (columns.size() <= count && fits) return columns;
  }
  return packed_lines(help, count);
}

int height_of(const HelpColumns& columns) {
  std::size_t height = 0;
  for (const auto& column : columns) height = std::max(height, column.size());
  return static_cast<int>(height);
}

/// Places the signs in rows of this width, and calls `place(sign, row, column)` for each. Returns
/// the rows.
template <typename Place>
int for_each_sign(const ViewHelp& help, int columns, const Place& place) {
  int row = 0, column = 0;
  for (const LegendSign& sign : help.legend) {
    const int width = columns_of(sign.sign) + 1 + columns_of(sign.meaning);
    if (column > 0 && column + width > columns) {
      ++row;
      column = 0;
    }
    place(sign, row, column);
    column += width + signs_between;
  }
  return row + 1;
}

int legend_rows(const ViewHelp& help, int columns) {
  return for_each_sign(help, columns, [](const LegendSign&, int, int) {});
}

/// Draws the signs as they look.
void draw_legend(DrawRegion region, const ViewHelp& help) {
  for_each_sign(help, region.columns(), [&](const LegendSign& sign, int row, int column) {
    if (row >= region.rows()) return;
    const int end = region.text(column, row, sign.sign, sign.style);
    region.text(end + 1, row, sign.meaning);
  });
}

void draw_line(DrawRegion& region, int row, const HelpLine& line, int columns_of_keys) {
  if (line.style == CellStyle::header) return region.heading(row, line.key);
  region.field(1, row, columns_of_keys - 2, line.key, CellStyle::accent);
  region.field(columns_of_keys, row, region.columns() - columns_of_keys, line.text);
}

class HelpView : public View {
 public:
  explicit HelpView(UiState& ui) : View(ui, &page_) {}

  void draw(const FrameContext&, const DrawRegion& region) const override {
    ui_.whole_help ? draw_whole(region) : draw_view_page(region);
  }

  std::vector<CompactLine> compact_lines(const FrameContext&, int lines_max) const override {
    std::vector<HelpLine> of_view;
    if (!ui_.whole_help) {
      for (const auto& group : help_shown().groups)
        of_view.insert(of_view.end(), group.begin(), group.end());
    }
    const std::vector<HelpLine>& all = ui_.whole_help ? ui_.help : of_view;
    const int first =
        std::clamp(page_.top, 0, std::max(0, static_cast<int>(all.size()) - lines_max));
    std::vector<CompactLine> lines;
    for (std::size_t i = static_cast<std::size_t>(first); i < all.size(); ++i) {
      lines.push_back({fmt::format("{} {}", all[i].key, all[i].text), all[i].style});
    }
    return lines;
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    if (ui_.whole_help) {
      const int lines = static_cast<int>(ui_.help.size());
      // If it scrolls, the last row is a hint.
      page_.scroll_to(-1, lines, lines > at.body.rows ? at.body.rows - 1 : at.body.rows);
      return {};
    }
    const int count =
        std::clamp((at.body.columns + columns_between) / (column_width_least + columns_between), 1,
                   columns_max);
    const int signs = legend_rows(help_shown(), at.body.columns - 2);
    const int rows = std::max(1, at.body.rows - rows_around - signs);
    columns_ = flow(help_shown(), static_cast<std::size_t>(count), static_cast<std::size_t>(rows));
    // If the keys need the rows of the signs, they get them.
    page_.scroll_to(-1, height_of(columns_), std::max(rows, at.body.rows - rows_around));
    return {};
  }

  std::string search_text(const Model&, int index) const override {
    const HelpLine& line = ui_.help[static_cast<std::size_t>(index)];
    return line.key + " " + line.text;
  }

 private:
  ViewId about() const { return ui_.trail.empty() ? ViewId::fleet : ui_.trail.back().view; }
  const ViewHelp& help_shown() const { return ui_.view_help[static_cast<std::size_t>(about())]; }

  void draw_whole(const DrawRegion& region) const {
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
      draw_line(page, row, ui_.help[static_cast<std::size_t>(item)], key_columns);
    }
  }

  void draw_view_page(const DrawRegion& region) const {
    DrawRegion page = region;
    const ViewHelp& help = help_shown();
    const int end = page.text(0, 0, fmt::format("{}: ", to_text(about())), CellStyle::accent);
    page.field(end, 0, page.columns() - end, help.purpose, CellStyle::strong);
    const auto count = static_cast<int>(columns_.size());
    const int width = (page.columns() - (count - 1) * columns_between) / count;
    const int rows = std::min(page_.visible, height_of(columns_) - page_.top);
    for (int i = 0; i < count; ++i) {
      const std::vector<HelpLine>& lines = columns_[static_cast<std::size_t>(i)];
      DrawRegion column = page.part({i * (width + columns_between), 1, width, rows});
      for (int row = 0; row < rows && page_.top + row < std::ssize(lines); ++row) {
        const int item = page_.top + row;
        draw_line(column, row, lines[static_cast<std::size_t>(item)], short_key_columns);
      }
    }
    // The signs take what the keys leave.
    const int top = 1 + rows;
    const int left = page.rows() - 1 - top;
    const int legend = std::min(left, legend_rows(help, page.columns() - 2));
    if (legend > 0) {
      draw_legend(page.part({1, left > legend ? top + 1 : top, page.columns() - 2, legend}), help);
    }
    page.heading(page.rows() - 1, "?: all keys, commands, reasons and signs", "Esc: back");
  }

  ListViewport page_;
  HelpColumns columns_{{}};  // of the page of one view
};

}  // namespace

std::unique_ptr<View> make_help_view(UiState& ui) { return std::make_unique<HelpView>(ui); }

}  // namespace drover::tui
