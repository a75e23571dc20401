#include "tui/panels/scrubber.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

constexpr int track_least = 12;

/// Where an instant stands on a track of so many columns; -1: not on it.
int column_of(Instant at, Instant first, Instant last, int columns) {
  if (at < first || at > last) return -1;
  const double span_s = to_seconds(last - first);
  if (span_s <= 0) return columns - 1;
  const double share = to_seconds(at - first) / span_s;
  return std::clamp(static_cast<int>(std::lround(share * (columns - 1))), 0, columns - 1);
}

}  // namespace

void draw_scrubber(const Scene& scene, Pen pen) {
  const Instant first = scene.cursor.timeline().first();
  const Instant last = std::max(first, scene.cursor.latest(scene.live_now));
  const std::string begin = to_clock_text(first), end = to_clock_text(last);
  const int left = static_cast<int>(begin.size()) + 2;
  const int columns = pen.columns() - left - static_cast<int>(end.size()) - 2;
  if (columns < track_least) return;
  pen.text(1, 0, begin, Role::faint);
  for (int i = 0; i < columns; ++i) pen.text(left + i, 0, pen.ascii() ? "-" : "─", Role::faint);
  const auto put = [&](Instant at, std::string_view sign, Role role) {
    const int column = column_of(at, first, last, columns);
    if (column >= 0) pen.text(left + column, 0, sign, role);
  };
  for (const Gap& gap : scene.cursor.timeline().gaps()) {
    const int left_end = column_of(std::clamp(gap.from, first, last), first, last, columns);
    const int right_end = column_of(std::clamp(gap.end, first, last), first, last, columns);
    for (int i = left_end; i <= right_end; ++i) {
      pen.text(left + i, 0, pen.ascii() ? "x" : "░", Role::critical);
    }
  }
  for (const Severity severity : {Severity::info, Severity::warning, Severity::critical}) {
    for (const Mark& mark : scene.cursor.timeline().marks()) {  // the gravest lie above
      if (mark.kind == Mark::Kind::caption || mark.severity != severity) continue;
      put(mark.at, "!", severity == Severity::critical ? Role::critical : Role::warm);
    }
  }
  for (const Instant at : scene.cursor.bookmarks()) put(at, "m", Role::accent);
  if (const auto& loop = scene.cursor.loop()) {
    put(loop->begin, "(", Role::good);
    put(loop->end, ")", Role::good);
  }
  put(scene.now, pen.ascii() ? "#" : "█", Role::strong);
  pen.text(left + columns + 1, 0, end, Role::faint);
  for (int i = 0; i < columns; ++i) {
    const int part = columns > 1 ? i * (scrubber_parts / 10) / (columns - 1) * 10 : 0;
    scene.hits.add({pen.area().column + left + i, pen.area().row, 1, 1}, Hit::Kind::moment, part);
  }
}

Instant moment_at_part(const TimeCursor& cursor, Instant live_now, int part) {
  const Instant first = cursor.timeline().first();
  const Duration span = std::max(first, cursor.latest(live_now)) - first;
  return first + from_seconds(to_seconds(span) * part / scrubber_parts);
}

}  // namespace drover::tui
