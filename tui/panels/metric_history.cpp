#include "tui/panels/metric_history.h"

#include <algorithm>
#include <cmath>

#include "tui/history/chart_history.h"

namespace drover::tui {

Duration staleness_limit(const std::vector<Instant>& at, Duration bin) {
  constexpr std::size_t looked_at = 33;
  std::vector<Duration> gaps;
  for (std::size_t i = at.size() - std::min(at.size(), looked_at); i + 1 < at.size(); ++i) {
    gaps.push_back(at[i + 1] - at[i]);
  }
  if (gaps.empty()) return bin;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  // A gap is where a sample is missing, not where one is late.
  return std::max(bin * 5 / 4, 2 * *middle);
}

/// The samples of the window, and the one before it, which may still be valid.
std::vector<ChartPoint> MetricHistory::samples(Metric metric) const {
  const auto begin = std::lower_bound(series.at.begin(), series.at.end(), window.begin(cells));
  auto first = static_cast<std::size_t>(begin - series.at.begin());
  if (first > 0) --first;
  std::vector<ChartPoint> points;
  const std::vector<double>& values = series.of(metric);
  for (std::size_t i = first; i < series.at.size(); ++i) {
    points.push_back({series.at[i], values[i]});
  }
  return points;
}

std::vector<ChartPoint> MetricHistory::rates(Metric counter) const {
  std::vector<ChartPoint> rates;
  ChartPoint before;
  for (const ChartPoint& point : samples(counter)) {
    const Duration since = point.at - before.at;
    if (point.value >= before.value) {
      // Samples may arrive shortly after each other.
      if (since < window.bin) continue;
      rates.push_back({before.at, (point.value - before.value) / to_seconds(since), since});
    }
    before = point;
  }
  return rates;
}

/// The history's bins of the window.
HistoryBins MetricHistory::bins_before(HistoryMetric metric) const {
  const DeviceHistory& history = frame.history;
  const HistoryResolution resolution =
      resolution_for(history, window.bin, window.begin(cells), window.end);
  // Of a long window, memory has only the end.
  const Instant first_sample =
      series.at.empty() ? window.end : std::min(window.end, series.at.front());
  const Instant begin =
      std::max(window.begin(cells), memory_begin(history, resolution, first_sample, window.end));
  const auto bins = history.bin_of(resolution, window.end) - history.bin_of(resolution, begin) + 1;
  return history.read(frame.model.id_of(row), metric, resolution, window.end,
                      static_cast<int>(bins));
}

/// What memory has of the window, and before it what the server knows. `statistic`: of longer bins
/// than those of memory.
std::vector<ChartPoint> MetricHistory::with_older(Metric metric, std::vector<ChartPoint> memory,
                                                  std::optional<Statistic> statistic) const {
  if (!frame.options.knows_older()) return memory;
  const auto unknown = [](const ChartPoint& point) { return std::isnan(point.value); };
  memory.erase(memory.begin(), std::ranges::find_if_not(memory, unknown));
  return merge_history(frame.server_history.read(frame.model.id_of(row), metric,
                                                 window.begin(cells), window.bin, window.end),
                       memory, statistic);
}

std::vector<ChartPoint> MetricHistory::in_memory(Metric metric) const {
  std::vector<ChartPoint> points = samples(metric);
  const HistoryMetricFacts* const kept = facts_of_source(metric);
  if (kept == nullptr) return points;
  HistoryBins older = bins_before(kept->metric);
  if (kept->metric == HistoryMetric::memory) {
    for (double& share : older.values) share *= frame.model.reading(row, Metric::memory_total);
  }
  // Longer bins than those of the chart are only for the time before the samples.
  const bool gather =
      older.bin > frame.history.bin(HistoryResolution::seconds) && older.bin <= window.bin;
  return merge_history(older, points,
                       gather ? std::optional(kept->long_bin_statistic) : std::nullopt);
}

std::vector<ChartPoint> MetricHistory::points(Metric metric) const {
  const bool long_bins = window.bin > frame.history.bin(HistoryResolution::minutes);
  return with_older(metric, in_memory(metric),
                    long_bins ? std::optional(statistic_of(metric)) : std::nullopt);
}

std::vector<ChartPoint> MetricHistory::throttle_reasons() const {
  HistoryBins older = bins_before(HistoryMetric::throttled);
  for (double& share : older.values) {
    if (share > 0) share = throttle_cause_unknown;
  }
  return with_older(Metric::throttle, merge_history(older, samples(Metric::throttle), std::nullopt),
                    std::nullopt);
}

}  // namespace drover::tui
