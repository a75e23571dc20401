#include "tui/panels/detail_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int detail_label_columns = 12;

/// The line in pieces of `width` columns: words such as addresses may be longer.
std::vector<std::string> pieces(const std::string& line, int width) {
  std::vector<std::string> parts;
  const auto most = static_cast<std::size_t>(width);
  if (static_cast<int>(column_width(line)) <= width) return {line};
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = std::min(at + most, line.size());
    // Not within a character.
    while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) ++end;
    parts.push_back(line.substr(at, end - at));
    at = end;
  }
  return parts;
}

}  // namespace

void DetailLines::add(std::string_view label, std::string_view text, CellStyle style) {
  const int width = std::max(8, columns_ - detail_label_columns);
  for (const std::string& line : split(text, '\n')) {
    for (const std::string& part : wrapped(line, width)) {
      for (const std::string& piece : pieces(part, width)) {
        lines_.push_back({fmt::format("{:<{}}{}", label, detail_label_columns, piece), style});
        label = {};
      }
    }
  }
}

void draw_detail_lines(DrawRegion& region, const std::vector<DetailLine>& lines, int top) {
  for (int row = 0; row < region.rows(); ++row) {
    const auto index = static_cast<std::size_t>(top) + static_cast<std::size_t>(row);
    if (index >= lines.size()) break;
    region.field(0, row, region.columns(), lines[index].text, lines[index].style);
  }
}

}  // namespace drover::tui
