// Each differing cell is a step: the shortest cursor move, the change of style, the character. A
// step that would exceed the limit is undone completely, so the screen's content is always known.
#include "tui/terminal/diff_renderer.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/base/result.h"
#include "tui/canvas/draw_region.h"
#include "tui/canvas/text_style.h"

namespace drover::tui {
namespace {

// For longer distances, moves by one cell are longer than a jump.
constexpr int steps_max = 6;

// For the change back to the plain style, and the cursor's move to the corner.
constexpr std::size_t end_bytes_max = 64;

// Writing this many blanks costs as much as clearing the rest of a row.
constexpr int blanks_min = 4;

}  // namespace

DiffRenderer::DiffRenderer(TerminalSequences words) : sequences_(std::move(words)) {
  std::array<std::optional<TextStyle>, cell_style_count> styles;
  for (std::size_t i = 0; i < styles.size(); ++i) styles[i] = parse_style(sequences_.style[i]);
  for (std::size_t from = 0; from < styles.size(); ++from) {
    for (std::size_t to = 0; to < styles.size(); ++to) {
      const bool known = styles[from] && styles[to];
      change_[from][to] =
          known ? style_transition(*styles[from], *styles[to]) : sequences_.style[to];
      same_blank_[from][to] = from == to || (known && styles[from]->same_blank(*styles[to]));
    }
  }
}

std::string DiffRenderer::paint(const Canvas& wanted, std::size_t bytes_max) {
  DROVER_REQUIRE(bytes_max >= frame_bytes_min);
  bytes_.clear();
  bytes_max_ = bytes_max;
  cursor_ = {};
  style_known_ = false;
  begin(wanted);
  whole_ = true;
  const int first = next_row_ < size_.rows ? next_row_ : 0;
  next_row_ = 0;
  for (int i = 0; i < size_.rows && whole_; ++i) {
    const int row = (first + i) % size_.rows;
    whole_ = paint_row(wanted, row);
    if (!whole_) next_row_ = row;
  }
  // Leave the plain style, so that output of other programs is readable.
  if (!bytes_.empty()) set_style(CellStyle::plain);
  if (!bytes_.empty() && sequences_.cursor_shows) bytes_ += sequences_.move(size_.rows - 1, 0);
  return std::move(bytes_);
}

void DiffRenderer::begin(const Canvas& wanted) {
  if (known_ && size_ == wanted.size()) return;
  size_ = wanted.size();
  shown_.assign(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows),
                Cell{});
  known_ = true;
  next_row_ = 0;
  set_style(CellStyle::plain);
  bytes_ += sequences_.clear;
}

/// Paints a row; false if it does not fit completely.
bool DiffRenderer::paint_row(const Canvas& wanted, int row) {
  const int blank = sequences_.clear_rest.empty() ? size_.columns : blank_from(wanted, row);
  int column = 0;
  while (column < size_.columns) {
    if (!differs(wanted, column, row)) {
      ++column;
      continue;
    }
    // The second half of a wide character is written with the first.
    if (wanted.at(column, row).text.empty() && column > 0) --column;
    const std::size_t bytes = bytes_.size();
    const auto before = std::tuple(cursor_, style_, style_known_);
    const bool rest = column >= blank;
    go_to(wanted, column, row);
    if (rest) {
      set_style(CellStyle::plain);
      bytes_ += sequences_.clear_rest;
    } else {
      write(wanted, column, row);
    }
    if (bytes_.size() + end_bytes_max > bytes_max_) {
      bytes_.resize(bytes);
      std::tie(cursor_, style_, style_known_) = before;
      return false;
    }
    const int end =
        rest ? size_.columns : column + (wanted.at(column + 1, row).text.empty() ? 2 : 1);
    for (; column < std::min(end, size_.columns); ++column) {
      shown_[index(column, row)] = wanted.at(column, row);
    }
  }
  return true;
}

std::size_t DiffRenderer::index(int column, int row) const {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
         static_cast<std::size_t>(column);
}

bool DiffRenderer::differs(const Canvas& wanted, int column, int row) const {
  const Cell& is = shown_[index(column, row)];
  const Cell& be = wanted.at(column, row);
  if (is == be) return false;
  return !(text_of(is) == " " && text_of(be) == " " &&
           same_blank_[static_cast<std::size_t>(is.style)][static_cast<std::size_t>(be.style)]);
}

/// The column from which to clear a row that is blank in the plain style; the row's end if clearing
/// saves nothing.
int DiffRenderer::blank_from(const Canvas& wanted, int row) const {
  int differing = 0;
  int column = size_.columns;
  for (; column > 0; --column) {
    const Cell& cell = wanted.at(column - 1, row);
    if (text_of(cell) != " " || !looks_like(CellStyle::plain, cell)) break;
    if (differs(wanted, column - 1, row)) ++differing;
  }
  return differing < blanks_min ? size_.columns : column;
}

void DiffRenderer::go_to(const Canvas& wanted, int column, int row) {
  if (cursor_.row == row && cursor_.column == column) return;
  const std::string move = cursor_move(column, row);
  if (cursor_.row == row && cursor_.column < column && write_gap(wanted, column, move.size())) {
    return;
  }
  bytes_ += move;
  cursor_ = {column, row};
}

/// Writes the unchanged cells up to `column` again if that is shorter than a jump over them.
bool DiffRenderer::write_gap(const Canvas& wanted, int column, std::size_t bytes_max) {
  const int row = cursor_.row;
  if (!style_known_ || static_cast<std::size_t>(column - cursor_.column) > bytes_max) return false;
  // In the current style, or in the one that is needed next.
  for (const CellStyle style : {style_, wanted.at(column, row).style}) {
    bool fits = true;
    for (int i = cursor_.column; i < column && fits; ++i) {
      const Cell& cell = wanted.at(i, row);
      const std::string_view text = text_of(cell);
      fits = text.size() == 1 && is_ascii(text) && looks_like(style, cell);
    }
    if (!fits) continue;
    set_style(style);
    for (int i = cursor_.column; i < column; ++i) bytes_ += text_of(wanted.at(i, row));
    cursor_.column = column;
    return true;
  }
  return false;
}

std::string DiffRenderer::cursor_move(int column, int row) const {
  std::string jump = sequences_.move(row, column);
  const int down = row - cursor_.row;
  if (cursor_.row < 0 || down < 0 || down > steps_max || (down > 0 && sequences_.down.empty())) {
    return jump;
  }
  std::string steps;
  for (int i = 0; i < down; ++i) steps += sequences_.down;
  const int right = column - cursor_.column;
  if (right < 0) {
    if (sequences_.back.empty() || right < -steps_max) return jump;
    for (int i = 0; i < -right; ++i) steps += sequences_.back;
  } else if (right > 0) {
    if (!sequences_.right) return jump;
    steps += sequences_.right(right);
  }
  return steps.size() < jump.size() ? steps : jump;
}

void DiffRenderer::write(const Canvas& wanted, int column, int row) {
  const Cell& cell = wanted.at(column, row);
  const int width = wanted.at(column + 1, row).text.empty() ? 2 : 1;
  if (cell.text.empty()) return;
  const bool is_last = column + width == size_.columns;
  if (sequences_.corner_scrolls && row == size_.rows - 1 && is_last) return;
  if (!style_known_ || !looks_like(style_, cell)) set_style(cell.style);
  const std::string_view text = text_of(cell);
  if (sequences_.unicode || is_ascii(text)) {
    bytes_ += text;
  } else {
    bytes_ += width == 2 ? "??" : "?";
  }
  // After the last column, the cursor's position depends on the terminal.
  cursor_ = is_last ? CursorPosition{} : CursorPosition{column + width, row};
}

void DiffRenderer::set_style(CellStyle style) {
  if (style_known_ && style == style_) return;
  bytes_ += style_known_
                ? change_[static_cast<std::size_t>(style_)][static_cast<std::size_t>(style)]
                : sequences_.style[static_cast<std::size_t>(style)];
  style_ = style;
  style_known_ = true;
}

std::string_view DiffRenderer::text_of(const Cell& cell) const {
  return text_shown(cell, sequences_.colours_rich);
}

bool DiffRenderer::looks_like(CellStyle style, const Cell& cell) const {
  return style == cell.style ||
         (text_of(cell) == " " &&
          same_blank_[static_cast<std::size_t>(style)][static_cast<std::size_t>(cell.style)]);
}

}  // namespace drover::tui
