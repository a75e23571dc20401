#include "tui/panels/prompt_panel.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

struct PromptTexts {
  std::string_view title;
  std::string_view hint;
};
constexpr std::array<PromptTexts, prompt_kind_count> prompt_texts = {{
    {"Go to: ", "12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z; Enter goes, Esc cancels"},
    {"Filter: ", "temp>70 & kind==tpu | job~llama; Tab completes, Enter applies, Esc cancels"},
    {":", "Tab completes, Enter runs it, Esc cancels"},
    {"Find: ", "part of a line; then n next, N previous"},
    {"", ""},
}};

/// The row above the line: the error, or the completions.
void draw_above(DrawRegion& region, int row, const Prompt& prompt) {
  if (!prompt.problem.empty()) {
    region.on(region.row_area(row)).blank(CellStyle::critical);
    region.field(1, row, region.columns() - 2, prompt.problem, CellStyle::critical);
    return;
  }
  if (prompt.completions.empty()) return;
  region.on(region.row_area(row)).blank(CellStyle::title);
  int column = 1;
  for (std::size_t i = 0; i < prompt.completions.size(); ++i) {
    // If there is no room for all, omit those before the current one.
    if (i + 6 < prompt.completion_index) continue;
    const int width = columns_of(prompt.completions[i]);
    if (column + width + 2 > region.columns()) break;
    region.text(column, row, prompt.completions[i],
                i == prompt.completion_index ? CellStyle::selected : CellStyle::title);
    column += width + 2;
  }
}

/// Highlights the part of the text with the error; the first `cut` bytes are not shown.
void draw_problem_place(DrawRegion& region, int row, int column, const Prompt& prompt,
                        std::size_t cut) {
  if (prompt.problem.empty() || prompt.problem_length == 0 || prompt.problem_at < cut) return;
  const std::string_view text = prompt.text;
  if (prompt.problem_at >= text.size()) return;  // at the end, where the cursor is
  const int at = column + columns_of(text.substr(cut, prompt.problem_at - cut));
  region.text(at, row, text.substr(prompt.problem_at, prompt.problem_length), CellStyle::critical);
}

void draw_question(DrawRegion region, const Prompt& prompt) {
  const int width = std::max(10, region.columns() - 4);
  const std::vector<std::string> lines = wrapped(prompt.question, width);
  const int rows = std::min(region.rows(), static_cast<int>(lines.size()) + 2);
  for (int row = 0; row < rows; ++row) {
    region.on(region.row_area(region.rows() - rows + row)).blank(CellStyle::selected);
  }
  for (int row = 0; row + 2 < rows; ++row) {
    region.field(2, region.rows() - rows + row, width, lines[static_cast<std::size_t>(row)],
                 CellStyle::selected);
  }
  const int end = region.text(2, region.rows() - 1, "y", CellStyle::badge);
  region.text(end + 1, region.rows() - 1, "do it     n Esc cancel", CellStyle::selected);
}

}  // namespace

void draw_prompt(const Prompt& prompt, DrawRegion region) {
  if (prompt.kind == PromptKind::confirm) return draw_question(region, prompt);
  const PromptTexts& shown = prompt_texts[static_cast<std::size_t>(prompt.kind)];
  const int row = region.rows() - 1;
  region.on(region.row_area(row)).blank();
  const int column = region.text(1, row, shown.title, CellStyle::accent);
  // A line that is longer than the screen is shown up to the cursor.
  std::string_view text = prompt.text;
  std::string_view before = text.substr(0, prompt.at);
  const int room = std::max(1, region.columns() - column - 2);
  std::size_t cut = 0;
  while (columns_of(before.substr(cut)) >= room && cut < before.size()) ++cut;
  while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) ++cut;
  text.remove_prefix(cut);
  before.remove_prefix(std::min(cut, before.size()));
  const int end = region.text(column, row, text, CellStyle::strong);
  draw_problem_place(region, row, column, prompt, cut);
  const int cursor = column + columns_of(before);
  if (prompt.at >= prompt.text.size()) {
    region.text(cursor, row, "_", CellStyle::strong);
  } else {
    const std::string_view rest = text.substr(before.size());
    std::size_t bytes = 1;
    while (bytes < rest.size() && (static_cast<unsigned char>(rest[bytes]) & 0xC0) == 0x80) ++bytes;
    region.text(cursor, row, rest.substr(0, bytes), CellStyle::selected);
  }
  if (region.rows() > 1) draw_above(region, row - 1, prompt);
  const int hint = end + 3;
  if (prompt.problem.empty())
    region.field(hint, row, region.columns() - hint - 1, shown.hint, CellStyle::faint);
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
