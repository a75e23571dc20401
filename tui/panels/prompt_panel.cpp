#include "tui/panels/prompt_panel.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

struct Words {
  std::string_view title;
  std::string_view hint;
};
constexpr std::array<Words, prompt_kind_count> words = {{
    {"Go to: ", "12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z; Enter goes, Esc leaves"},
    {"Filter: ", "temp>70 & kind==tpu | job~llama; Tab completes, Enter narrows, Esc leaves"},
    {":", "Tab completes, Enter does it, Esc leaves"},
    {"Find: ", "part of a line; then n and N go on"},
    {"", ""},
}};

int columns_of(std::string_view text) { return static_cast<int>(column_width(printable(text))); }

/// The row above: what is wrong, or what else Tab can put there.
void draw_above(Pen& pen, int row, const Prompt& prompt) {
  if (!prompt.problem.empty()) {
    pen.on(pen.row_area(row)).blank(Role::critical);
    pen.field(1, row, pen.columns() - 2, prompt.problem, Role::critical);
    return;
  }
  if (prompt.offers.empty()) return;
  pen.on(pen.row_area(row)).blank(Role::title);
  int column = 1;
  for (std::size_t i = 0; i < prompt.offers.size(); ++i) {
    // Those before the one that stands there go first where there is no room for all.
    if (i + 6 < prompt.offered) continue;
    const int width = columns_of(prompt.offers[i]);
    if (column + width + 2 > pen.columns()) break;
    pen.text(column, row, prompt.offers[i], i == prompt.offered ? Role::selected : Role::title);
    column += width + 2;
  }
}

/// The part of the text that is wrong; `cut` bytes of the text are not shown.
void draw_problem_place(Pen& pen, int row, int column, const Prompt& prompt, std::size_t cut) {
  if (prompt.problem.empty() || prompt.problem_length == 0 || prompt.problem_at < cut) return;
  const std::string_view text = prompt.text;
  if (prompt.problem_at >= text.size()) return;  // at the end, where the cursor is
  const int at = column + columns_of(text.substr(cut, prompt.problem_at - cut));
  pen.text(at, row, text.substr(prompt.problem_at, prompt.problem_length), Role::critical);
}

void draw_question(Pen pen, const Prompt& prompt) {
  const int width = std::max(10, pen.columns() - 4);
  const std::vector<std::string> lines = wrapped(prompt.question, width);
  const int rows = std::min(pen.rows(), static_cast<int>(lines.size()) + 2);
  for (int row = 0; row < rows; ++row) {
    pen.on(pen.row_area(pen.rows() - rows + row)).blank(Role::selected);
  }
  for (int row = 0; row + 2 < rows; ++row) {
    pen.field(2, pen.rows() - rows + row, width, lines[static_cast<std::size_t>(row)],
              Role::selected);
  }
  const int end = pen.text(2, pen.rows() - 1, "y", Role::badge);
  pen.text(end + 1, pen.rows() - 1, "do it     n Esc leave it", Role::selected);
}

}  // namespace

void draw_prompt(const Prompt& prompt, Pen pen) {
  if (prompt.kind == PromptKind::confirm) return draw_question(pen, prompt);
  const Words& shown = words[static_cast<std::size_t>(prompt.kind)];
  const int row = pen.rows() - 1;
  pen.on(pen.row_area(row)).blank();
  const int column = pen.text(1, row, shown.title, Role::accent);
  // A line longer than the screen is shown up to its cursor.
  std::string_view text = prompt.text;
  std::string_view before = text.substr(0, prompt.at);
  const int room = std::max(1, pen.columns() - column - 2);
  std::size_t cut = 0;
  while (columns_of(before.substr(cut)) >= room && cut < before.size()) ++cut;
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) ++cut;
  text.remove_prefix(cut);
  before.remove_prefix(std::min(cut, before.size()));
  const int end = pen.text(column, row, text, Role::strong);
  draw_problem_place(pen, row, column, prompt, cut);
  const int cursor = column + columns_of(before);
  if (prompt.at >= prompt.text.size()) {
    pen.text(cursor, row, "_", Role::strong);
  } else {
    const std::string_view rest = text.substr(before.size());
    std::size_t bytes = 1;
    while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xC0) == 0x80) ++bytes;
    pen.text(cursor, row, rest.substr(0, bytes), Role::selected);
  }
  if (pen.rows() > 1) draw_above(pen, row - 1, prompt);
  const int hint = end + 3;
  if (prompt.problem.empty())
    pen.field(hint, row, pen.columns() - hint - 1, shown.hint, Role::faint);
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (const std::string& word : split(text, ' ')) {
    if (!lines.empty() && static_cast<int>(lines.back().size() + 1 + word.size()) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace drover::tui
