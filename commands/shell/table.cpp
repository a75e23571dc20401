#include "commands/shell/table.h"

#include <algorithm>

#include "fleet/base/result.h"
#include "fleet/base/text.h"

namespace drover::commands {

std::string table_text(const std::vector<Heading>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines;
  lines.emplace_back();
  for (const Heading& heading : headings) lines.back().push_back(heading.name);
  for (const auto& row : rows) {
    DROVER_REQUIRE(row.size() == headings.size());
    lines.emplace_back();
    for (const std::string& cell : row) lines.back().push_back(printable(cell));
  }
  std::vector<std::size_t> widths;
  for (const Heading& heading : headings) widths.push_back(heading.width_min);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], column_width(line[i]));
    }
  }
  std::string text;
  for (const auto& line : lines) {
    std::string written;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - column_width(line[i]), ' ');
      if (i > 0) written += "  ";
      written += headings[i].align == Align::right ? padding + line[i] : line[i] + padding;
    }
    written.erase(written.find_last_not_of(' ') + 1);
    text += written + "\n";
  }
  return text;
}

}  // namespace drover::commands
