// The metrics that the history keeps of a device, and their encoding in 16 bits: one table row per
// metric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/sample/sample.h"

namespace drover::tui {

enum class HistoryMetric : std::uint8_t {
  // The metrics of sparklines come first, so that a smaller history can have these alone.
  utilization,
  memory,  // used, as a share of the total
  power,
  temperature,
  tensor_activity,
  memory_activity,
  clock,
  throttled,  // 0 or 1; in a longer bin, the share of time
  running,
  queue,
};
inline constexpr int history_metric_count = 10;
inline constexpr int sparkline_metric_count = 4;

/// The statistic of a longer bin. Shares of time and clocks use the mean, so that the value of an
/// hour is that of the whole hour. Temperature, power, memory and queues use the maximum: a peak is
/// what trips a limit, and a mean would hide it.
enum class Statistic : std::uint8_t { mean, maximum };

struct HistoryMetricFacts {
  HistoryMetric metric;
  Metric source;  // of samples, from which it is computed
  double step;    // value = least + point * step
  double least;   // smaller values are clamped to it
  Statistic long_bin_statistic;
};
const HistoryMetricFacts& facts(HistoryMetric metric);
/// Null if the history keeps no such metric.
const HistoryMetricFacts* facts_of_source(Metric source);

/// An encoded value. Values beyond the range are clamped.
using QuantizedValue = std::uint16_t;
inline constexpr QuantizedValue quantized_absent = 65'535;  // absent
QuantizedValue quantize(HistoryMetric metric, double value);
double dequantize(HistoryMetric metric, QuantizedValue point);

/// The encoded values of a batch for the first `metrics` metrics: one per device, metric by metric.
/// REQUIRES check(batch) passed.
class QuantizedBatch {
 public:
  explicit QuantizedBatch(int metrics) : metrics_(metrics) {}
  void read(const SampleBatch& batch);
  std::span<const QuantizedValue> of(int metric) const {
    return std::span(points_).subspan(static_cast<std::size_t>(metric) * rows_, rows_);
  }

 private:
  int metrics_;
  std::size_t rows_ = 0;
  std::vector<QuantizedValue> points_;
  std::vector<double> values_, total_;  // kept, so that a batch allocates no memory
};

}  // namespace drover::tui
