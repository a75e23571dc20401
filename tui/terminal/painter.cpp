// Each differing cell is a step: the cheapest way there, the change of role, the character. A step
// that would pass the limit is taken back whole, so what stands on the screen is known to the cell.
#include "tui/terminal/painter.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/base/result.h"
#include "tui/canvas/text_style.h"

namespace drover::tui {
namespace {

// Further than this, steps of one cell are longer than a jump.
constexpr int steps_max = 6;

// For the way back to the plain role, and the cursor's to its corner.
constexpr std::size_t end_bytes_max = 64;

// So many cells cost as much as blanking the rest of a row does.
constexpr int blanks_min = 4;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace

Painter::Painter(TerminalWords words) : words_(std::move(words)) {
  std::array<std::optional<TextStyle>, role_count> styles;
  for (std::size_t i = 0; i < styles.size(); ++i) styles[i] = parse_style(words_.role[i]);
  for (std::size_t from = 0; from < styles.size(); ++from) {
    for (std::size_t to = 0; to < styles.size(); ++to) {
      const bool known = styles[from] && styles[to];
      change_[from][to] = known ? change_of_style(*styles[from], *styles[to]) : words_.role[to];
      same_blank_[from][to] = from == to || (known && styles[from]->same_blank(*styles[to]));
    }
  }
}

std::string Painter::paint(const Canvas& wanted, std::size_t bytes_max) {
  DROVER_REQUIRE(bytes_max >= frame_bytes_min);
  bytes_.clear();
  bytes_max_ = bytes_max;
  cursor_ = {};
  role_known_ = false;
  begin(wanted);
  whole_ = true;
  const int first = next_row_ < size_.rows ? next_row_ : 0;
  next_row_ = 0;
  for (int i = 0; i < size_.rows && whole_; ++i) {
    const int row = (first + i) % size_.rows;
    whole_ = paint_row(wanted, row);
    if (!whole_) next_row_ = row;
  }
  // The terminal is left plain, so that what other programs write there is readable.
  if (!bytes_.empty()) switch_to(Role::plain);
  if (!bytes_.empty() && words_.cursor_shows) bytes_ += words_.move(size_.rows - 1, 0);
  return std::move(bytes_);
}

void Painter::begin(const Canvas& wanted) {
  if (known_ && size_ == wanted.size()) return;
  size_ = wanted.size();
  shown_.assign(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows),
                Cell{});
  known_ = true;
  next_row_ = 0;
  switch_to(Role::plain);
  bytes_ += words_.clear;
}

/// False when the row has more than fits.
bool Painter::paint_row(const Canvas& wanted, int row) {
  const int blank = words_.clear_rest.empty() ? size_.columns : blank_from(wanted, row);
  int column = 0;
  while (column < size_.columns) {
    if (!differs(wanted, column, row)) {
      ++column;
      continue;
    }
    // The second half of a wide character comes with the first.
    if (wanted.at(column, row).text.empty() && column > 0) --column;
    const std::size_t bytes = bytes_.size();
    const auto before = std::tuple(cursor_, role_, role_known_);
    const bool rest = column >= blank;
    go_to(wanted, column, row);
    if (rest) {
      switch_to(Role::plain);
      bytes_ += words_.clear_rest;
    } else {
      write(wanted, column, row);
    }
    if (bytes_.size() + end_bytes_max > bytes_max_) {
      bytes_.resize(bytes);
      std::tie(cursor_, role_, role_known_) = before;
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

std::size_t Painter::index(int column, int row) const {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
         static_cast<std::size_t>(column);
}

bool Painter::differs(const Canvas& wanted, int column, int row) const {
  const Cell& is = shown_[index(column, row)];
  const Cell& be = wanted.at(column, row);
  if (is == be) return false;
  return !(text_of(is) == " " && text_of(be) == " " &&
           same_blank_[static_cast<std::size_t>(is.role)][static_cast<std::size_t>(be.role)]);
}

/// The column from which a row is blank in the plain role, when it pays to blank it at once.
int Painter::blank_from(const Canvas& wanted, int row) const {
  int differing = 0;
  int column = size_.columns;
  for (; column > 0; --column) {
    const Cell& cell = wanted.at(column - 1, row);
    if (text_of(cell) != " " || !looks_like(Role::plain, cell)) break;
    if (differs(wanted, column - 1, row)) ++differing;
  }
  return differing < blanks_min ? size_.columns : column;
}

void Painter::go_to(const Canvas& wanted, int column, int row) {
  if (cursor_.row == row && cursor_.column == column) return;
  const std::string way = way_to(column, row);
  if (cursor_.row == row && cursor_.column < column && write_gap(wanted, column, way.size())) {
    return;
  }
  bytes_ += way;
  cursor_ = {column, row};
}

/// Unchanged cells up to `column`, written again where that is shorter than a jump over them.
bool Painter::write_gap(const Canvas& wanted, int column, std::size_t bytes_max) {
  const int row = cursor_.row;
  if (!role_known_ || static_cast<std::size_t>(column - cursor_.column) > bytes_max) return false;
  // In the role that is on, or in the one that is wanted next in any case.
  for (const Role role : {role_, wanted.at(column, row).role}) {
    bool fits = true;
    for (int i = cursor_.column; i < column && fits; ++i) {
      const Cell& cell = wanted.at(i, row);
      const std::string_view text = text_of(cell);
      fits = text.size() == 1 && is_ascii(text) && looks_like(role, cell);
    }
    if (!fits) continue;
    switch_to(role);
    for (int i = cursor_.column; i < column; ++i) bytes_ += text_of(wanted.at(i, row));
    cursor_.column = column;
    return true;
  }
  return false;
}

std::string Painter::way_to(int column, int row) const {
  std::string jump = words_.move(row, column);
  const int down = row - cursor_.row;
  if (cursor_.row < 0 || down < 0 || down > steps_max || (down > 0 && words_.down.empty())) {
    return jump;
  }
  std::string steps;
  for (int i = 0; i < down; ++i) steps += words_.down;
  const int right = column - cursor_.column;
  if (right < 0) {
    if (words_.back.empty() || right < -steps_max) return jump;
    for (int i = 0; i < -right; ++i) steps += words_.back;
  } else if (right > 0) {
    if (!words_.right) return jump;
    steps += words_.right(right);
  }
  return steps.size() < jump.size() ? steps : jump;
}

void Painter::write(const Canvas& wanted, int column, int row) {
  const Cell& cell = wanted.at(column, row);
  const int width = wanted.at(column + 1, row).text.empty() ? 2 : 1;
  if (cell.text.empty()) return;
  const bool is_last = column + width == size_.columns;
  if (words_.corner_scrolls && row == size_.rows - 1 && is_last) return;
  if (!role_known_ || !looks_like(role_, cell)) switch_to(cell.role);
  const std::string_view text = text_of(cell);
  if (words_.unicode || is_ascii(text)) {
    bytes_ += text;
  } else {
    bytes_ += width == 2 ? "??" : "?";
  }
  // Behind the last column terminals differ in where the cursor stands.
  cursor_ = is_last ? Place{} : Place{column + width, row};
}

void Painter::switch_to(Role role) {
  if (role_known_ && role == role_) return;
  bytes_ += role_known_ ? change_[static_cast<std::size_t>(role_)][static_cast<std::size_t>(role)]
                        : words_.role[static_cast<std::size_t>(role)];
  role_ = role;
  role_known_ = true;
}

std::string_view Painter::text_of(const Cell& cell) const {
  return text_shown(cell, words_.colours_rich);
}

bool Painter::looks_like(Role role, const Cell& cell) const {
  return role == cell.role ||
         (text_of(cell) == " " &&
          same_blank_[static_cast<std::size_t>(role)][static_cast<std::size_t>(cell.role)]);
}

}  // namespace drover::tui
