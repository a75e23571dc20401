#include "tests/tui/terminal/small_terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "fleet/base/text.h"
#include "tui/canvas/palette.h"

namespace drover::tui {

SmallTerminal::SmallTerminal(Size size)
    : size_(size), cells_(static_cast<std::size_t>(size.columns * size.rows)) {}

SmallTerminal::ShownCell& SmallTerminal::cell(int column, int row) {
  return cells_.at(static_cast<std::size_t>(row * size_.columns + column));
}

const SmallTerminal::ShownCell& SmallTerminal::at(int column, int row) const {
  return cells_.at(static_cast<std::size_t>(row * size_.columns + column));
}

std::string SmallTerminal::text() const {
  std::string text;
  for (int row = 0; row < size_.rows; ++row) {
    for (int column = 0; column < size_.columns; ++column) text += at(column, row).text;
    text += '\n';
  }
  return text;
}

void SmallTerminal::receive(std::string_view bytes) {
  while (!bytes.empty()) {
    const char first = bytes.front();
    std::size_t size = 1;
    if (first == '\x1b') {
      size = obey(bytes);
    } else if (first == '\r') {
      column_ = 0;
    } else if (first == '\b') {
      ASSERT_GT(column_--, 0);
    } else if (first == '\n') {
      ASSERT_LT(++row_, size_.rows) << "it scrolls";
    } else if (first != '\x0f') {  // 0x0f: back from a character set that nothing switches to
      ASSERT_TRUE(first < 0 || first >= 0x20) << "control character " << static_cast<int>(first);
      while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0xC0) == 0x80) {
        ++size;
      }
      put(bytes.substr(0, size));
    }
    if (testing::Test::HasFatalFailure()) return;
    bytes.remove_prefix(size);
  }
}

void SmallTerminal::put(std::string_view character) {
  const int width = static_cast<int>(column_width(character));
  if (width == 0) {
    ShownCell& base = cell(std::max(0, column_ - 1), row_);
    (base.text.empty() ? cell(column_ - 2, row_) : base).text += character;
    return;
  }
  ASSERT_LE(column_ + width, size_.columns) << "text beyond the last column";
  // Half a wide character is blank.
  if (inserts_) insert(width);
  const auto release = [&](int place) {
    if (at(place, row_).text.empty()) cell(place - 1, row_).text = " ";
    if (place + 1 < size_.columns && at(place + 1, row_).text.empty()) {
      cell(place + 1, row_).text = " ";
    }
  };
  for (int i = 0; i < width; ++i) release(column_ + i);
  cell(column_, row_) = {std::string(character), style_};
  if (width == 2) cell(column_ + 1, row_) = {"", style_};
  column_ += width;
  if (!wraps_) column_ = std::min(column_, size_.columns - 1);
}

void SmallTerminal::insert(int count) {
  const auto here = cells_.begin() + row_ * size_.columns + column_;
  const auto end = cells_.begin() + (row_ + 1) * size_.columns;
  std::rotate(here, end - count, end);
  std::fill(here, here + count, ShownCell{});
}

void SmallTerminal::erase(int from_column, int from_row, int to_column, int to_row) {
  const int end = to_row * size_.columns + to_column;
  for (int i = from_row * size_.columns + from_column; i < end; ++i) {
    // With the background of the present style, as terminals with `bce` do it.
    cells_.at(static_cast<std::size_t>(i)) = {" ", {.background = style_.background}};
  }
}

/// The length of the sequence at the beginning of `bytes`, which has been obeyed.
std::size_t SmallTerminal::obey(std::string_view bytes) {
  if (bytes.starts_with("\x1b(B")) return 3;
  if (!bytes.starts_with("\x1b[")) ADD_FAILURE() << "unknown: " << bytes.substr(1, 8);
  std::size_t end = 2;
  while (end < bytes.size() && bytes[end] < 0x40) ++end;
  const std::string_view inside = bytes.substr(2, end - 2);
  if (bytes[end] == 'h' || bytes[end] == 'l') {
    EXPECT_TRUE(inside == "4" || inside == "?7") << inside;
    (inside == "4" ? inserts_ : wraps_) = bytes[end] == 'h';
    return end + 1;
  }
  std::vector<int> numbers;
  for (const std::string& one : split(inside, ';')) numbers.push_back(std::atoi(one.c_str()));
  control(bytes[end], numbers);
  return end + 1;
}

void SmallTerminal::control(char final, const std::vector<int>& numbers) {
  const int first = numbers.at(0);
  const int count = std::max(1, first);
  switch (final) {
    case 'm':
      return set_style(numbers);
    case 'H':
      row_ = count - 1;
      column_ = numbers.size() > 1 ? numbers[1] - 1 : 0;
      break;
    case 'A':
      row_ -= count;
      break;
    case 'B':
      row_ += count;
      break;
    case 'C':
      column_ += count;
      break;
    case 'D':
      column_ -= count;
      break;
    case 'G':
      column_ = count - 1;
      break;
    case 'd':
      row_ = count - 1;
      break;
    case 'K':
      if (first == 1) return erase(0, row_, column_ + 1, row_);
      return erase(column_, row_, size_.columns, row_);
    case 'J':
      if (first == 2) return erase(0, 0, 0, size_.rows);
      return erase(column_, row_, 0, size_.rows);
    case '@':
      return insert(count);
    case 'X':
      return erase(column_, row_, std::min(size_.columns, column_ + count), row_);
    default:
      FAIL() << "it scrolls or does something else: " << first << final;
  }
  ASSERT_TRUE(column_ >= 0 && column_ < size_.columns && row_ >= 0 && row_ < size_.rows);
}

void SmallTerminal::set_style(const std::vector<int>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const int number = numbers[i];
    const bool text = number < 40 || (number >= 90 && number < 98);
    int& colour = text ? style_.foreground : style_.background;
    if (number == 0) {
      style_ = {};
    } else if (number == 1) {
      style_.bold = true;
    } else if (number == 2) {
      style_.dim = true;
    } else if (number == 7) {
      style_.reverse = true;
    } else if (number == 38 || number == 48) {
      const bool direct = numbers.at(i + 1) == 2;
      colour = direct ? direct_colour + (numbers.at(i + 2) << 16) + (numbers.at(i + 3) << 8) +
                            numbers.at(i + 4)
                      : numbers.at(i + 2);
      i += direct ? 4 : 2;
    } else if (number == 39 || number == 49) {
      colour = -1;
    } else if (number >= 30 && number < 48) {
      colour = number % 10;
    } else if (number >= 90 && number < 108) {
      colour = 8 + number % 10;
    } else {
      ASSERT_EQ(number, 10) << "unknown style";  // the Linux console's usual characters
    }
  }
}

SmallTerminal::Style style_on_terminal(const Cell& cell, Theme theme, Colours colours) {
  const CellPaint paint = paint_of(cell.style, cell.shade, theme, colours);
  return {.bold = (paint.attributes & attribute_bold) != 0,
          .dim = (paint.attributes & attribute_dim) != 0,
          .reverse = (paint.attributes & attribute_reverse) != 0,
          .foreground = paint.foreground,
          .background = paint.background};
}

void expect_shown(const SmallTerminal& terminal, const Canvas& canvas, Theme theme,
                  Colours colours) {
  for (int row = 0; row < canvas.size().rows; ++row) {
    for (int column = 0; column < canvas.size().columns; ++column) {
      const Cell& wanted = canvas.at(column, row);
      const SmallTerminal::ShownCell& shown = terminal.at(column, row);
      ASSERT_EQ(shown.text, text_shown(wanted, is_rich(theme, colours)))
          << column << "," << row << "\n"
          << terminal.text();
      if (wanted.text.empty()) continue;
      SmallTerminal::Style look = style_on_terminal(wanted, theme, colours);
      SmallTerminal::Style found = shown.style;
      // A blank shows its background only.
      if (shown.text == " " && !look.reverse && !found.reverse) {
        look = {.background = look.background};
        found = {.background = found.background};
      }
      ASSERT_EQ(found, look) << shown.text << " at " << column << "," << row << ": "
                             << found.foreground << " on " << found.background;
    }
  }
}

}  // namespace drover::tui
