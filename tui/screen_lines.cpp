// The lines at the edges of the screen: the prompt on its lowest rows, and the timeline as one
// line, with the moment shown and the markers to jump to.
#include <algorithm>
#include <array>
#include <cmath>

#include "fleet/base/text.h"
#include "tui/panels/panels.h"
#include "tui/screen.h"

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
    {"Find anything: ",
     "part of a name: device, job, view, command; arrows choose, Enter goes there"},
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

constexpr int kind_columns = 11;

/// What a search found, the best nearest to the line that is typed.
void draw_found(DrawRegion& region, const Prompt& prompt) {
  const int most = region.rows() - 2;  // the title stays
  for (std::size_t i = 0; i < prompt.found.size() && static_cast<int>(i) < most; ++i) {
    const int row = region.rows() - 2 - static_cast<int>(i);
    const FoundLine& line = prompt.found[i];
    const bool chosen = i == prompt.found_index;
    const CellStyle style = chosen ? CellStyle::selected : CellStyle::title;
    region.on(region.row_area(row)).blank(style);
    region.field(1, row, kind_columns - 1, line.kind, style);
    region.field(1 + kind_columns, row, region.columns() - kind_columns - 2, line.name, style);
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

constexpr int track_least = 12;

/// The position of an instant on a track of `columns`; -1 if it is outside.
int column_of(Instant at, Instant first, Instant last, int columns) {
  if (at < first || at > last) return -1;
  const double span_s = to_seconds(last - first);
  if (span_s <= 0) return columns - 1;
  const double share = to_seconds(at - first) / span_s;
  return std::clamp(static_cast<int>(std::lround(share * (columns - 1))), 0, columns - 1);
}

}  // namespace

void draw_prompt(const Prompt& prompt, const std::string& note, DrawRegion region) {
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
  if (prompt.kind == PromptKind::search) draw_found(region, prompt);
  const int hint = end + 3;
  if (!prompt.problem.empty()) return;
  const bool wrong = !prompt.incomplete.empty();
  region.field(hint, row, region.columns() - hint - 1, note.empty() ? shown.hint : note,
               wrong ? CellStyle::warm : CellStyle::faint);
}

void draw_scrubber(const FrameContext& frame, DrawRegion region) {
  const Instant first = frame.cursor.timeline().first();
  const Instant last = std::max(first, frame.cursor.latest(frame.live_now));
  const std::string begin = to_clock_text(first), end = to_clock_text(last);
  const int left = static_cast<int>(begin.size()) + 2;
  const int columns = region.columns() - left - static_cast<int>(end.size()) - 2;
  if (columns < track_least) return;
  region.text(1, 0, begin, CellStyle::faint);
  for (int i = 0; i < columns; ++i)
    region.text(left + i, 0, region.ascii() ? "-" : "─", CellStyle::faint);
  const auto put = [&](Instant at, std::string_view sign, CellStyle style) {
    const int column = column_of(at, first, last, columns);
    if (column >= 0) region.text(left + column, 0, sign, style);
  };
  for (const Gap& gap : frame.cursor.timeline().gaps()) {
    const int left_end = column_of(std::clamp(gap.from, first, last), first, last, columns);
    const int right_end = column_of(std::clamp(gap.end, first, last), first, last, columns);
    for (int i = left_end; i <= right_end; ++i) {
      region.text(left + i, 0, region.ascii() ? "x" : "░", CellStyle::critical);
    }
  }
  for (const Severity severity : {Severity::info, Severity::warning, Severity::critical}) {
    // The most severe are drawn last.
    for (const TimelineMarker& mark : frame.cursor.timeline().markers()) {
      const bool warns =
          mark.kind == TimelineMarker::Kind::alert || mark.kind == TimelineMarker::Kind::event;
      if (!warns || mark.severity != severity) continue;
      put(mark.at, "!", severity == Severity::critical ? CellStyle::critical : CellStyle::warm);
    }
  }
  for (const TimelineMarker& mark : frame.cursor.timeline().markers()) {
    if (mark.kind == TimelineMarker::Kind::bookmark) put(mark.at, "m", CellStyle::accent);
  }
  for (const Bookmark& mark : frame.cursor.bookmarks()) put(mark.at, "m", CellStyle::accent);
  if (const auto& loop = frame.cursor.loop()) {
    put(loop->begin, "(", CellStyle::good);
    put(loop->end, ")", CellStyle::good);
  }
  put(frame.now, region.ascii() ? "#" : "█", CellStyle::strong);
  region.text(left + columns + 1, 0, end, CellStyle::faint);
  for (int i = 0; i < columns; ++i) {
    const int part = columns > 1 ? i * (scrubber_parts / 10) / (columns - 1) * 10 : 0;
    frame.click_targets.add({region.area().column + left + i, region.area().row, 1, 1},
                            ClickTarget::Kind::moment, part);
  }
}

Instant moment_at_part(const PlaybackCursor& cursor, Instant live_now, int part) {
  const Instant first = cursor.timeline().first();
  const Duration span = std::max(first, cursor.latest(live_now)) - first;
  return first + from_seconds(to_seconds(span) * part / scrubber_parts);
}

}  // namespace drover::tui
