#include "tests/tui/golden_screen.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tui/canvas/palette.h"

namespace drover::tui {

void expect_screen(const std::string& name, const std::string& found) {
  const std::string path = std::string(DROVER_SOURCE_DIR) + "/tests/tui/screens/" + name + ".txt";
  if (std::getenv("DROVER_REWRITE") != nullptr) {
    std::ofstream(path) << found;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; DROVER_REWRITE=1 writes it";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), found) << "screen " << name;
}

std::string styled_text(const Canvas& canvas) {
  const std::vector<std::string> lines = split(canvas.to_text(), '\n');
  std::string text;
  for (int row = 0; row < canvas.size().rows; ++row) {
    std::string letters;
    for (int column = 0; column < canvas.size().columns; ++column) {
      letters += facts(canvas.at(column, row).style).letter;
    }
    letters.erase(letters.find_last_not_of(' ') + 1);
    text += lines[static_cast<std::size_t>(row)] + "\n";
    if (!letters.empty()) text += letters + "\n";
  }
  return text;
}

void expect_whole_rows(const Canvas& canvas) {
  const Size size = canvas.size();
  for (int row = 0; row < size.rows; ++row) {
    int width = 0;
    for (int column = 0; column < size.columns; ++column) {
      const std::string& text = canvas.at(column, row).text;
      const bool is_ascii = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80;
      width += text.empty() ? 0 : is_ascii ? 1 : static_cast<int>(column_width(text));
    }
    ASSERT_EQ(width, size.columns) << "row " << row << " of " << size.columns << "x" << size.rows;
  }
}

std::string line_with(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

CellStyle role_at(const Canvas& canvas, const std::string& word, const std::string& part) {
  for (int row = 0; row < canvas.size().rows; ++row) {
    std::string line;
    for (int column = 0; column < canvas.size().columns; ++column) {
      const std::string& text = canvas.at(column, row).text;
      line += text.size() == 1 ? text[0] : '?';
    }
    const std::size_t at = line.find(part);
    if (line.find(word) != std::string::npos && at != std::string::npos) {
      return canvas.at(static_cast<int>(at), row).style;
    }
  }
  ADD_FAILURE() << "no " << part << " beside " << word;
  return CellStyle::plain;
}

}  // namespace drover::tui
