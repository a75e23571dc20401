// Combines two sources into a chart's history: a device's samples as far back as they are kept, and
// before them the bins of the device history.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/history/device_history.h"

namespace drover::tui {

/// The resolution whose bins are not wider than a chart's `bin` (fleet time), or the first of the
/// wider ones that are kept back to `from`.
HistoryResolution resolution_for(const DeviceHistory& history, Duration bin, Instant from,
                                 Instant now);

/// Further back than this moment neither the samples, which begin `first_sample`, nor the bins of
/// this resolution are kept.
Instant memory_begin(const DeviceHistory& history, HistoryResolution resolution,
                     Instant first_sample, Instant now);

/// The points of a chart. With `gather`, samples are aggregated to the bins of `older` by that
/// statistic, so that both parts look alike; else they stay as they are. The first aggregated bin
/// may lack samples, so the value of `older` is used if there is one. A bin between samples has no
/// point: rare samples leave such bins as well, and the chart knows when a value is too old.
std::vector<ChartPoint> merge_history(const HistoryBins& older, std::span<const ChartPoint> samples,
                                      std::optional<Statistic> gather);

}  // namespace drover::tui
