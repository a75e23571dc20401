#include "tui/pages/tree_lines.h"

#include <algorithm>
#include <utility>

#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

CellStyle style_of(TreeRole role) {
  switch (role) {
    case TreeRole::plain:
      return CellStyle::plain;
    case TreeRole::heading:
      return CellStyle::strong;
    case TreeRole::suggestion:
      return CellStyle::accent;
    case TreeRole::good:
      return CellStyle::good;
    case TreeRole::warning:
      return CellStyle::warm;
    case TreeRole::critical:
      return CellStyle::critical;
    case TreeRole::detail:
      return CellStyle::faint;
  }
  return CellStyle::plain;
}

std::string_view branch_text(char branch, bool ascii) {
  switch (branch) {
    case '|':
      return ascii ? "| " : "│ ";
    case '+':
      return ascii ? "|-" : "├─";
    case '`':
      return ascii ? "`-" : "└─";
    default:
      return "  ";
  }
}

/// For each line whether another one of its depth follows below the same parent.
std::vector<bool> followed(std::span<const TreeLine> lines) {
  std::vector<bool> all(lines.size());
  std::vector<bool> open;  // by depth, of the lines below
  for (std::size_t i = lines.size(); i-- > 0;) {
    const auto depth = static_cast<std::size_t>(lines[i].depth);
    if (open.size() > depth + 1) open.resize(depth + 1);
    if (open.size() < depth + 1) open.resize(depth + 1, false);
    all[i] = open[depth];
    open[depth] = true;
  }
  return all;
}

}  // namespace

std::vector<TreeRow> tree_rows(std::span<const TreeLine> lines, int columns) {
  const std::vector<bool> more = followed(lines);
  std::vector<TreeRow> rows;
  std::string above;  // for each level above the line whether its branch goes on
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto depth = static_cast<std::size_t>(lines[i].depth);
    above.resize(depth, ' ');
    std::string first = above, rest = above;
    if (depth > 0) {
      first.back() = more[i] ? '+' : '`';
      rest.back() = more[i] ? '|' : ' ';
    }
    above = rest + ' ';
    const auto branches_max = static_cast<std::size_t>(std::max(0, columns / branch_columns / 2));
    first.resize(std::min(first.size(), branches_max));
    rest.resize(first.size());
    const int width = std::max(8, columns - branch_columns * static_cast<int>(first.size()) - 1);
    // Pieces after the first are indented, so that each line can be told from the next.
    bool begins = true;
    for (const std::string& piece : wrapped(lines[i].text, width)) {
      rows.push_back(
          {begins ? first : rest, begins ? piece : " " + piece, style_of(lines[i].role)});
      begins = false;
    }
  }
  return rows;
}

void draw_tree_row(DrawRegion& region, int row, const TreeRow& tree) {
  int column = 0;
  for (const char branch : tree.branches) {
    region.text(column, row, branch_text(branch, region.ascii()), CellStyle::faint);
    column += branch_columns;
  }
  region.field(column, row, region.columns() - column, tree.text, tree.style);
}

}  // namespace drover::tui
