#include "tui/panels/scrubber.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

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
      if (mark.kind == TimelineMarker::Kind::caption || mark.severity != severity) continue;
      put(mark.at, "!", severity == Severity::critical ? CellStyle::critical : CellStyle::warm);
    }
  }
  for (const Instant at : frame.cursor.bookmarks()) put(at, "m", CellStyle::accent);
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
