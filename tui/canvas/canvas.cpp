// Each cell has one column. A wide character is in its first cell, and the next cell has an empty
// text. Writing over either half blanks the other, so a row is always as wide as the canvas.
#include "tui/canvas/canvas.h"

#include <algorithm>
#include <optional>

#include "fleet/base/text.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

// A base character with its accents; further accents are dropped.
constexpr std::size_t cell_bytes_max = 15;

std::size_t length_of_character(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

/// Whether a text has only printable ASCII and the box, block and Braille characters of our views.
/// These need no filtering and are one column wide, which makes drawing nearly all text cheap.
bool is_simple(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++at;
      continue;
    }
    if (byte != 0xE2 || at + 2 >= text.size()) return false;
    const auto second = static_cast<unsigned char>(text[at + 1]);
    const auto third = static_cast<unsigned char>(text[at + 2]);
    const bool drawing = (second >= 0x94 && second <= 0x96) || (second >= 0xA0 && second <= 0xA3);
    if (!drawing || third < 0x80 || third > 0xBF) return false;
    at += 3;
  }
  return true;
}

Rect overlap(const Rect& a, const Rect& b) {
  const int left = std::max(a.column, b.column);
  const int top = std::max(a.row, b.row);
  const int right = std::min(a.column + a.columns, b.column + b.columns);
  const int bottom = std::min(a.row + a.rows, b.row + b.rows);
  return {left, top, std::max(0, right - left), std::max(0, bottom - top)};
}

std::string_view trimmed_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(' ');
  return last == std::string_view::npos ? std::string_view{} : line.substr(0, last + 1);
}

/// The text of a cell without colours: a blank cell of the heat map becomes a character of
/// ".:-=+*#@", and a blank cell of a bar's filled part becomes "|".
std::string_view text_without_colour(const Cell& cell) {
  static constexpr std::string_view ramp = ".:-=+*#@";
  if (cell.text != " ") return cell.text;
  if (cell.style >= CellStyle::heat0 && cell.style <= CellStyle::heat7) {
    return ramp.substr(
        static_cast<std::size_t>(cell.style) - static_cast<std::size_t>(CellStyle::heat0), 1);
  }
  if (cell.style >= CellStyle::fill_good && cell.style <= CellStyle::fill_critical) return "|";
  return cell.text;
}

}  // namespace

std::string_view text_shown(const Cell& cell, bool colours_rich) {
  // The filled part of a bar is visible by its reverse video.
  const bool is_fill = cell.style >= CellStyle::fill_good && cell.style <= CellStyle::fill_critical;
  return colours_rich || is_fill ? std::string_view(cell.text) : text_without_colour(cell);
}

Canvas::Canvas(Size size) : size_{std::max(0, size.columns), std::max(0, size.rows)} {
  cells_.resize(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows));
}

const Cell& Canvas::at(int column, int row) const {
  static const Cell outside;
  if (column < 0 || row < 0 || column >= size_.columns || row >= size_.rows) return outside;
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                static_cast<std::size_t>(column)];
}

int Canvas::put(int column, int row, std::string_view text, CellStyle style) {
  return put({0, 0, size_.columns, size_.rows}, column, row, text, style);
}

int Canvas::put(const Rect& clip, int column, int row, std::string_view text, CellStyle style) {
  const Rect area = overlap(clip, {0, 0, size_.columns, size_.rows});
  const bool shown = row >= area.row && row < area.row + area.rows;
  const bool simple = is_simple(text);
  const std::string cleaned = simple ? std::string() : printable(text);
  const std::string_view safe = simple ? text : std::string_view(cleaned);
  Cell* const line =
      shown ? &cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns)]
            : nullptr;
  const int right = area.column + area.columns;
  // Blanks the other half of a wide character that is about to be overwritten.
  const auto release = [&](int place) {
    if (line[place].text.empty() && place > 0) line[place - 1].text = " ";
    if (place + 1 < size_.columns && line[place + 1].text.empty()) line[place + 1].text = " ";
  };
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t bytes =
        std::min(length_of_character(static_cast<unsigned char>(safe[at])), safe.size() - at);
    const std::string_view character = safe.substr(at, bytes);
    at += bytes;
    const int width = simple ? 1 : static_cast<int>(column_width(character));
    if (width == 0) {
      if (!shown || column <= area.column || column > right) continue;
      Cell& base = line[line[column - 1].text.empty() && column > 1 ? column - 2 : column - 1];
      if (base.text.size() + bytes <= cell_bytes_max) base.text += character;
      continue;
    }
    const bool inside = shown && column >= area.column && column + width <= right;
    if (inside) {
      release(column);
      if (width == 2) release(column + 1);
      line[column].text.assign(character);
      line[column].style = style;
      line[column].shade = 0;
      if (width == 2) line[column + 1] = Cell{"", style};
    } else if (shown && width == 2 && column >= area.column && column < right) {
      release(column);
      line[column] = Cell{" ", style};  // half a wide character cannot be shown
    }
    column += width;
  }
  return column;
}

void Canvas::fill(const Rect& rect, std::string_view cell_text, CellStyle style) {
  const Rect area = overlap(rect, {0, 0, size_.columns, size_.rows});
  std::string pattern;
  for (int column = 0; column < area.columns; ++column) pattern += cell_text;
  for (int row = area.row; row < area.row + area.rows; ++row) {
    put(area, area.column, row, pattern, style);
  }
}

void Canvas::tint(const Rect& rect, CellStyle style) {
  const Rect area = overlap(rect, {0, 0, size_.columns, size_.rows});
  for (int row = area.row; row < area.row + area.rows; ++row) {
    for (int column = area.column; column < area.column + area.columns; ++column) {
      Cell& cell = cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                          static_cast<std::size_t>(column)];
      if (cell.style < CellStyle::heat0) cell.style = style;
    }
  }
}

void Canvas::shade(const Rect& rect, HeatShade shade) {
  const Rect area = overlap(rect, {0, 0, size_.columns, size_.rows});
  for (int row = area.row; row < area.row + area.rows; ++row) {
    for (int column = area.column; column < area.column + area.columns; ++column) {
      Cell& cell = cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                          static_cast<std::size_t>(column)];
      if (cell.style >= CellStyle::heat0 && cell.style <= CellStyle::heat7) cell.shade = shade;
    }
  }
}

void Canvas::paste(const Canvas& from, int first_row, const Rect& to) {
  for (int row = 0; row < std::min(to.rows, from.size().rows - first_row); ++row) {
    for (int column = 0; column < std::min(to.columns, from.size().columns); ++column) {
      const Cell& cell = from.at(column, first_row + row);
      // Empty cells were written with the wide characters before them.
      if (cell.text.empty()) continue;
      put(to, to.column + column, to.row + row, cell.text, cell.style);
      if (cell.shade > 0) {
        shade(overlap(to, {to.column + column, to.row + row, 1, 1}), cell.shade);
      }
    }
  }
}

/// As text_without_colour, but a blank between the words of a bar's number stays blank.
std::string_view Canvas::text_of(int column, int row) const {
  const bool in_words = at(column - 1, row).text != " " && at(column + 1, row).text != " ";
  const Cell& cell = at(column, row);
  return in_words && cell.style >= CellStyle::fill_good ? std::string_view(cell.text)
                                                        : text_without_colour(cell);
}

std::string Canvas::to_text() const {
  std::string text;
  for (int row = 0; row < size_.rows; ++row) {
    std::string line;
    for (int column = 0; column < size_.columns; ++column) {
      line += text_of(column, row);
    }
    text += trimmed_end(line);
    text += '\n';
  }
  return text;
}

std::string Canvas::to_ansi(Theme theme, Colours colours) const {
  std::string text;
  for (int row = 0; row < size_.rows; ++row) {
    // Each line sets its styles itself, as another program may show it alone.
    std::optional<CellPaint> last;
    for (int column = 0; column < size_.columns; ++column) {
      const Cell& cell = at(column, row);
      const CellPaint paint = paint_of(cell.style, cell.shade, theme, colours);
      if (paint != last) text += ansi_of(paint);
      last = paint;
      text += text_shown(cell, is_rich(theme, colours));
    }
    text += "\x1b[0m\n";
  }
  return text;
}

}  // namespace drover::tui
