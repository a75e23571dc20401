#include "tui/history/chart_history.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

/// The statistic of a bin's samples; NaN if none is known.
double aggregate(Statistic statistic, std::span<const ChartPoint> samples) {
  double sum = 0;
  double most = absent;
  int known = 0;
  for (const ChartPoint& sample : samples) {
    if (std::isnan(sample.value)) continue;
    sum += sample.value;
    if (!(most >= sample.value)) most = sample.value;
    ++known;
  }
  if (known == 0) return absent;
  return statistic == Statistic::mean ? sum / known : most;
}

}  // namespace

HistoryResolution resolution_for(const DeviceHistory& history, Duration bin, Instant from,
                                 Instant now) {
  HistoryResolution resolution = HistoryResolution::seconds;
  for (const HistoryResolution wider :
       {HistoryResolution::tens_of_seconds, HistoryResolution::minutes}) {
    const std::int64_t first = history.bin_of(resolution, now) - history.bins(resolution) + 1;
    const bool reaches = history.begin_of(resolution, first) <= from;
    if (history.bin(wider) <= bin || (!reaches && history.bins(wider) > 0)) resolution = wider;
  }
  return resolution;
}

Instant memory_begin(const DeviceHistory& history, HistoryResolution resolution,
                     Instant first_sample, Instant now) {
  const std::int64_t bin = history.bin_of(resolution, now) - history.bins(resolution) + 1;
  return std::min(first_sample, history.begin_of(resolution, bin));
}

std::vector<ChartPoint> merge_history(const HistoryBins& older, std::span<const ChartPoint> samples,
                                      std::optional<Statistic> gather) {
  std::vector<ChartPoint> points;
  Instant begin = older.begin;
  auto next = std::partition_point(samples.begin(), samples.end(),
                                   [&](const ChartPoint& sample) { return sample.at < begin; });
  // One of these may still be valid at the start of the bins.
  if (!gather) points.assign(samples.begin(), next);
  for (const double value : older.values) {
    const Instant end = saturating_add(begin, older.bin);
    const bool begun = next != samples.begin();
    const auto first = next;
    while (next != samples.end() && next->at < end) ++next;
    const std::span<const ChartPoint> in_bin(first, next);
    if (gather) {
      const bool use_older = !begun && !std::isnan(value);
      if (use_older || !begun || !in_bin.empty()) {
        points.push_back({begin, use_older ? value : aggregate(*gather, in_bin), older.bin});
      }
    } else if (in_bin.empty() && !begun) {
      points.push_back({begin, value, older.bin});
    } else {
      points.insert(points.end(), in_bin.begin(), in_bin.end());
    }
    begin = end;
  }
  points.insert(points.end(), next, samples.end());
  return points;
}

}  // namespace drover::tui
