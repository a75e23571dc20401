// Lines of details: a label, and behind it its text, wrapped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tui/canvas/draw_region.h"

namespace drover::tui {

struct DetailLine {
  std::string text;
  CellStyle style = CellStyle::plain;
};

class DetailLines {
 public:
  explicit DetailLines(int columns) : columns_(columns) {}

  /// A word that is too long for a line is continued on the next one.
  void add(std::string_view label, std::string_view text, CellStyle style = CellStyle::plain);

  std::vector<DetailLine> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<DetailLine> lines_;
};

/// Draws the lines from `top` on.
void draw_detail_lines(DrawRegion& region, const std::vector<DetailLine>& lines, int top = 0);

}  // namespace drover::tui
