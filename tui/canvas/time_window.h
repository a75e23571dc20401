// The time that charts show: a span that is a round time, and its bins.
#pragma once

#include <cstdint>

#include "fleet/base/time.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// A cell of a chart is two bins wide; the last cell contains `end`. Bins are aligned to absolute
/// time.
struct TimeWindow {
  Instant end{};
  Duration bin{1};

  /// The begin of the first of `cells` cells.
  Instant begin(int cells) const;
  std::int64_t bin_of(Instant at) const;
  /// The first of `bins` bins, the last two of which share the cell that contains `end`.
  std::int64_t first_bin(int bins) const;
};

/// The window in which `cells` cells show this span.
TimeWindow window_of(Instant end, Duration span, int cells);

/// The round spans of charts: 1, 2, 5, 10, 30 minutes, 1, 2, 6, 24 hours, 7 days and more.
/// The span for data of this length. A chart hides at most a third of it, and up to nine hours it
/// is at least half full; beyond, the spans are farther apart.
Duration span_for(Duration known);
/// The round span that is `steps` longer (or shorter).
Duration span_beside(Duration span, int steps);
/// The shortest round span that is not shorter than this.
Duration span_from(Duration least);
/// "10 min", "2 h", "7 days".
std::string chart_span_text(Duration span);

enum class TimeLabels : std::uint8_t {
  clock,  // "14:03:20", at whole tens of seconds, minutes, ..
  ago,    // "-60s" .. "now"
};

/// Labels below a chart of the same columns, at round times; they never touch each other.
void draw_time_axis(DrawRegion& region, int column, int row, int columns, const TimeWindow& window,
                    TimeLabels labels);

}  // namespace drover::tui
