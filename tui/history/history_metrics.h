// What the history keeps of a device, and how a value is 16 bits: one table row for each metric.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fleet/sample/sample.h"

namespace drover::tui {

enum class HistoryMetric : std::uint8_t {
  // What sparklines show comes first: a history of these alone is a smaller one.
  utilization,
  memory,  // used, as a share of the total
  power,
  temperature,
  matrix_activity,
  memory_activity,
  clock,
  slowed,  // whether something held the clock down: over a longer time, the share of it
  running,
  queue,
};
inline constexpr int history_metric_count = 10;
inline constexpr int sparkline_metric_count = 4;

/// What a longer time is told by. Shares of time and clocks are told by their mean, so that a share
/// of an hour is the hour's. Heat, watts, memory and queues are told by their greatest: a peak is
/// what trips a limit, and a mean would hide it.
enum class Statistic : std::uint8_t { mean, maximum };

struct HistoryMetricFacts {
  HistoryMetric metric;
  std::string_view name;
  double step;   // value = least + point * step
  double least;  // smaller values become it
  Statistic long_time;
};
const HistoryMetricFacts& facts(HistoryMetric metric);

/// A value as it is kept. Values beyond the range become its ends.
using HistoryPoint = std::uint16_t;
inline constexpr HistoryPoint no_point = 65'535;  // absent
HistoryPoint to_point(HistoryMetric metric, double value);
double to_value(HistoryMetric metric, HistoryPoint point);

/// What a batch tells of the first so many metrics: one point for each device of it, metric after
/// metric. REQUIRES check(batch) passed.
class HistoryPoints {
 public:
  explicit HistoryPoints(int metrics) : metrics_(metrics) {}
  void read(const SampleBatch& batch);
  std::span<const HistoryPoint> of(int metric) const {
    return std::span(points_).subspan(static_cast<std::size_t>(metric) * rows_, rows_);
  }

 private:
  int metrics_;
  std::size_t rows_ = 0;
  std::vector<HistoryPoint> points_;
  std::vector<double> values_, total_;  // kept, so that a batch takes no memory
};

}  // namespace drover::tui
