#include "tui/painter.h"

#include <algorithm>

namespace drover::tui {
namespace {

// A cursor movement costs about eight bytes: so many unchanged cells are cheaper written again.
constexpr int gap_max = 5;

const Cell nothing;

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

class Painter {
 public:
  Painter(const TerminalWords& words, const Canvas* shown, const Canvas& wanted)
      : words_(words), wanted_(wanted), shown_(shown) {
    if (shown_ != nullptr && !(shown_->size() == wanted_.size())) shown_ = nullptr;
  }

  std::string bytes() {
    if (shown_ == nullptr) {
      switch_to(Role::plain);
      bytes_ += words_.clear;
    }
    for (int row = 0; row < wanted_.size().rows; ++row) paint_row(row);
    // The terminal is left plain, so that what other programs write there is readable.
    if (!bytes_.empty()) switch_to(Role::plain);
    if (!bytes_.empty() && words_.cursor_shows) bytes_ += words_.move(wanted_.size().rows - 1, 0);
    return std::move(bytes_);
  }

 private:
  bool differs(int column, int row) const {
    return !(wanted_.at(column, row) == (shown_ == nullptr ? nothing : shown_->at(column, row)));
  }

  void paint_row(int row) {
    int cursor = -1;  // the column that the cursor is known to stand in
    for (int column = 0; column < wanted_.size().columns; ++column) {
      if (!differs(column, row)) continue;
      // The second half of a wide character comes with the first.
      if (wanted_.at(column, row).text.empty() && column > 0) {
        if (column < cursor) continue;
        --column;
      }
      if (cursor >= 0 && column > cursor && column - cursor <= gap_max) {
        for (; cursor < column; ++cursor) write(cursor, row);
      } else if (cursor != column) {
        bytes_ += words_.move(row, column);
      }
      write(column, row);
      if (wanted_.at(column + 1, row).text.empty()) ++column;
      cursor = column + 1;
    }
  }

  void write(int column, int row) {
    const Cell& cell = wanted_.at(column, row);
    const Size size = wanted_.size();
    if (cell.text.empty()) return;
    if (words_.corner_scrolls && row == size.rows - 1 && column == size.columns - 1) return;
    switch_to(cell.role);
    // With reverse video a bar's filled part shows by itself.
    const bool is_fill = cell.role >= Role::fill_good && cell.role <= Role::fill_critical;
    const std::string_view text =
        words_.colours_rich || is_fill ? std::string_view(cell.text) : text_without_colour(cell);
    if (words_.unicode || is_ascii(text)) {
      bytes_ += text;
    } else {
      bytes_ += wanted_.at(column + 1, row).text.empty() ? "??" : "?";
    }
  }

  void switch_to(Role role) {
    if (known_ && role == role_) return;
    bytes_ += words_.role[static_cast<std::size_t>(role)];
    role_ = role;
    known_ = true;
  }

  const TerminalWords& words_;
  const Canvas& wanted_;
  const Canvas* shown_;
  std::string bytes_;
  Role role_ = Role::plain;
  bool known_ = false;
};

}  // namespace

std::string paint(const TerminalWords& words, const Canvas* shown, const Canvas& wanted) {
  return Painter(words, shown, wanted).bytes();
}

}  // namespace drover::tui
