// One past of two sources: a device's samples as far back as they are kept, and before them what
// the history ladder still knows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/history/history.h"

namespace drover::tui {

/// The rung whose bins are not wider than a chart's: `bin` in fleet time, `wall` one wall second.
HistoryRung rung_for(Duration bin, Duration wall);

/// The points of a chart. Where `gather` is given, samples are gathered in the ladder's bins by
/// that statistic, so that what both know looks alike; else they stay as they are. Of the bin in
/// which they begin they may have lost some: gathered, it is the ladder's if that knows it. A bin
/// of which nothing is known is a point that is not known.
std::vector<ChartPoint> joined(const HistoryBins& older, std::span<const ChartPoint> samples,
                               std::optional<Statistic> gather);

}  // namespace drover::tui
