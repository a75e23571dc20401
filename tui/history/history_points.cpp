#include "tui/history/history_points.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

/// The values of the samples of one bin as one; NaN where none of them is known.
double told_by(Statistic statistic, std::span<const ChartPoint> samples) {
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

HistoryRung rung_for(Duration bin, Duration wall) {
  HistoryRung rung = HistoryRung::seconds;
  for (const HistoryRung wider : {HistoryRung::tens_of_seconds, HistoryRung::minutes}) {
    if (bin_seconds(wider) * wall <= bin) rung = wider;
  }
  return rung;
}

std::vector<ChartPoint> joined(const HistoryBins& older, std::span<const ChartPoint> samples,
                               std::optional<Statistic> gather) {
  std::vector<ChartPoint> points;
  Instant begin = older.begin;
  auto next = std::partition_point(samples.begin(), samples.end(),
                                   [&](const ChartPoint& sample) { return sample.at < begin; });
  // One of these may still stand where the bins begin.
  if (!gather) points.assign(samples.begin(), next);
  for (const double value : older.values) {
    const Instant end = saturating_add(begin, older.bin);
    const bool begun = next != samples.begin();
    const auto first = next;
    while (next != samples.end() && next->at < end) ++next;
    const std::span<const ChartPoint> told(first, next);
    if (gather) {
      const bool from_ladder = !begun && !std::isnan(value);
      points.push_back({begin, from_ladder ? value : told_by(*gather, told)});
    } else if (told.empty() && !begun) {
      points.push_back({begin, value});
    } else {
      points.insert(points.end(), told.begin(), told.end());
    }
    begin = end;
  }
  points.insert(points.end(), next, samples.end());
  return points;
}

}  // namespace drover::tui
