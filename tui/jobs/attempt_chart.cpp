#include "tui/jobs/attempt_chart.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

struct AttemptSign {
  std::string_view sign, ascii, meaning;
  CellStyle style;
};

struct SpanSign {
  SpanKind kind;
  AttemptSign sign;
};
constexpr std::array<SpanSign, span_kind_count> span_signs = {{
    {SpanKind::waiting, {"·", ".", "waits", CellStyle::faint}},
    {SpanKind::starting, {"▒", "~", "starts", CellStyle::accent}},
    {SpanKind::placed, {"░", ":", "placed", CellStyle::faint}},
    {SpanKind::running, {"█", "#", "runs", CellStyle::good}},
    {SpanKind::paused, {"▁", "_", "paused", CellStyle::warm}},
    {SpanKind::unknown, {"?", "?", "not known", CellStyle::faint}},
}};
static_assert(is_in_order(span_signs, &SpanSign::kind));

struct MarkSign {
  MarkKind kind;
  AttemptSign sign;
};
constexpr std::array<MarkSign, mark_kind_count> mark_signs = {{
    {MarkKind::checkpoint, {"◆", "C", "checkpoint", CellStyle::strong}},
    {MarkKind::requeued, {"◀", "<", "requeued", CellStyle::warm}},
    {MarkKind::lost, {"✗", "x", "failed or lost", CellStyle::critical}},
    {MarkKind::finished, {"✓", "+", "done", CellStyle::good}},
    {MarkKind::cancelled, {"○", "o", "cancelled", CellStyle::faint}},
}};
static_assert(is_in_order(mark_signs, &MarkSign::kind));

const AttemptSign& sign_of(SpanKind kind) {
  return span_signs[static_cast<std::size_t>(kind)].sign;
}
const AttemptSign& sign_of(MarkKind kind) {
  return mark_signs[static_cast<std::size_t>(kind)].sign;
}

std::string_view text_of(const AttemptSign& sign, bool ascii) {
  return ascii ? sign.ascii : sign.sign;
}

constexpr int number_columns = 3, axis_label_columns = 8;

struct ChartPlace {
  int target, cells_at, cells;
};

ChartPlace place_chart(int columns) {
  const int target = std::clamp(columns / 5, 10, 28);
  const int at = number_columns + target + 1;
  return {target, at, std::max(1, columns - at)};
}

/// The column of a moment among the cells; `cells` for the end.
int cell_of(const AttemptTimeline& timeline, Instant at, int cells) {
  const double length_s = to_seconds(timeline.end - timeline.begin);
  if (length_s <= 0) return 0;
  const double share = to_seconds(at - timeline.begin) / length_s;
  return static_cast<int>(std::clamp(share, 0.0, 1.0) * cells);
}

std::span<const AttemptLine> shown_lines(const AttemptTimeline& timeline) {
  const std::span<const AttemptLine> all(timeline.lines);
  return all.last(std::min(all.size(), attempt_lines_max));
}

void draw_attempt(DrawRegion& region, int row, const AttemptTimeline& timeline,
                  const AttemptLine& line, const ChartPlace& place) {
  if (line.attempt > 0) {
    region.field(0, row, number_columns - 1, fmt::format("{}", line.attempt), CellStyle::plain,
                 Align::right);
  }
  region.field(number_columns, row, place.target,
               line.target.empty() ? std::string("no place yet") : line.target,
               line.target.empty() ? CellStyle::faint : CellStyle::plain);
  for (const AttemptSpan& span : line.spans) {
    const AttemptSign& sign = sign_of(span.kind);
    const int from = std::min(cell_of(timeline, span.from, place.cells), place.cells - 1);
    // The shortest one has a cell.
    const int until = std::max(from + 1, cell_of(timeline, span.until, place.cells));
    for (int cell = from; cell < until; ++cell) {
      region.text(place.cells_at + cell, row, text_of(sign, region.ascii()), sign.style);
    }
  }
  for (const AttemptMark& mark : line.marks) {
    const AttemptSign& sign = sign_of(mark.kind);
    const int cell = std::min(cell_of(timeline, mark.at, place.cells), place.cells - 1);
    region.text(place.cells_at + cell, row, text_of(sign, region.ascii()), sign.style);
  }
}

void draw_axis(DrawRegion& region, int row, const AttemptTimeline& timeline,
               const ChartPlace& place) {
  const Duration length = timeline.end - timeline.begin;
  if (length <= Duration{0}) return;
  const Duration step = axis_step(length, std::max(1, place.cells / axis_label_columns));
  region.field(number_columns, row, place.target, "since submitted", CellStyle::faint);
  for (Duration at{0}; at <= length; at += step) {
    const std::string label = axis_label(at);
    const int cell = cell_of(timeline, timeline.begin + at, place.cells);
    if (cell + columns_of(label) > place.cells) break;
    region.text(place.cells_at + cell, row, label, CellStyle::faint);
  }
}

/// Only the signs that are in the chart.
void draw_signs(DrawRegion& region, int row, const AttemptTimeline& timeline, int column) {
  const auto add = [&](const AttemptSign& sign) {
    const int width = 2 + columns_of(sign.meaning);
    if (column + width > region.columns()) return;
    region.text(column, row, text_of(sign, region.ascii()), sign.style);
    column = region.text(column + 2, row, sign.meaning, CellStyle::faint) + 2;
  };
  for (const SpanSign& sign : span_signs) {
    const bool used = std::ranges::any_of(shown_lines(timeline), [&](const AttemptLine& line) {
      return std::ranges::find(line.spans, sign.kind, &AttemptSpan::kind) != line.spans.end();
    });
    if (used) add(sign.sign);
  }
  for (const MarkSign& sign : mark_signs) {
    const bool used = std::ranges::any_of(shown_lines(timeline), [&](const AttemptLine& line) {
      return std::ranges::find(line.marks, sign.kind, &AttemptMark::kind) != line.marks.end();
    });
    if (used) add(sign.sign);
  }
}

}  // namespace

std::string axis_label(Duration at) {
  using std::chrono::duration_cast, std::chrono::hours, std::chrono::minutes, std::chrono::seconds;
  if (at == Duration{0}) return "0";
  if (at < minutes(1)) return duration_text(to_seconds(at));
  const auto in_hours = duration_cast<hours>(at);
  const auto in_minutes = duration_cast<minutes>(at - in_hours);
  const auto in_seconds = duration_cast<seconds>(at - in_hours - in_minutes);
  std::string label;
  if (in_hours.count() > 0) label += fmt::format("{}h", in_hours.count());
  if (in_minutes.count() > 0) label += fmt::format("{}m", in_minutes.count());
  if (in_seconds.count() > 0) label += fmt::format("{}s", in_seconds.count());
  return label;
}

Duration axis_step(Duration length, int labels_max) {
  using std::chrono::hours, std::chrono::milliseconds, std::chrono::minutes, std::chrono::seconds;
  static constexpr std::array<Duration, 22> steps = {
      milliseconds(10),  milliseconds(20), milliseconds(50), milliseconds(100), milliseconds(200),
      milliseconds(500), seconds(1),       seconds(2),       seconds(5),        seconds(10),
      seconds(20),       seconds(30),      minutes(1),       minutes(2),        minutes(5),
      minutes(10),       minutes(30),      hours(1),         hours(2),          hours(6),
      hours(12),         hours(24)};
  for (const Duration step : steps) {
    if (length / step < labels_max) return step;
  }
  return hours(24) * (1 + length / hours(24) / std::max(1, labels_max));
}

int attempt_chart_rows(const AttemptTimeline& timeline) {
  return 3 + static_cast<int>(shown_lines(timeline).size());
}

int draw_attempt_chart(DrawRegion& region, int row, const AttemptTimeline& timeline) {
  const std::span<const AttemptLine> lines = shown_lines(timeline);
  const std::size_t earlier = timeline.lines.size() - lines.size();
  std::string note = duration_text(to_seconds(timeline.end - timeline.begin));
  if (earlier > 0) note = fmt::format("{} earlier, {}", earlier, note);
  region.heading(row++, "Attempts over time", note);
  const ChartPlace place = place_chart(region.columns());
  for (const AttemptLine& line : lines) draw_attempt(region, row++, timeline, line, place);
  draw_axis(region, row++, timeline, place);
  draw_signs(region, row++, timeline, number_columns);
  return row;
}

}  // namespace drover::tui
