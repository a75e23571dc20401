#include "tui/history/history_metrics.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/enum_tables.h"
#include "tui/model/device_table.h"

namespace drover::tui {
namespace {

constexpr double share_step = 1.0 / 50'000;  // up to 1.31, as some counters slightly exceed 1
constexpr double coldest_c = -100;           // below any board; the range ends at 6,453 C
constexpr double point_max = quantized_absent - 1;

constexpr std::array<HistoryMetricFacts, history_metric_count> history_metric_table = {{
    {HistoryMetric::utilization, Metric::utilization, share_step, 0, Statistic::mean},
    {HistoryMetric::memory, Metric::memory_used, share_step, 0, Statistic::maximum},
    {HistoryMetric::power, Metric::power, 0.1, 0, Statistic::maximum},  // W, up to 6,553
    {HistoryMetric::temperature, Metric::temperature, 0.1, coldest_c, Statistic::maximum},
    {HistoryMetric::tensor_activity, Metric::tensor_activity, share_step, 0, Statistic::mean},
    {HistoryMetric::memory_activity, Metric::memory_activity, share_step, 0, Statistic::mean},
    {HistoryMetric::clock, Metric::clock, 1, 0, Statistic::mean},  // MHz
    {HistoryMetric::throttled, Metric::throttle, share_step, 0, Statistic::mean},
    {HistoryMetric::running, Metric::running, 1, 0, Statistic::maximum},
    {HistoryMetric::queue, Metric::queue, 1, 0, Statistic::maximum},
}};

static_assert(is_in_order(history_metric_table, &HistoryMetricFacts::metric));

QuantizedValue point_of(double value, double least, double steps_per_one) {
  // NaN is checked last, so that the loop over a batch has no branches.
  const double step = std::min(std::max((value - least) * steps_per_one + 0.5, 0.0), point_max);
  const auto point = static_cast<std::int32_t>(std::isnan(value) ? quantized_absent : step);
  return static_cast<QuantizedValue>(point);
}

const Column* column_of(const SampleBatch& batch, Metric metric) {
  const auto number = static_cast<std::uint8_t>(metric);
  const auto found = std::ranges::find(batch.columns, number, &Column::metric);
  return found == batch.columns.end() ? nullptr : &*found;
}

}  // namespace

const HistoryMetricFacts& facts(HistoryMetric metric) {
  return history_metric_table[static_cast<std::size_t>(metric)];
}

const HistoryMetricFacts* facts_of_source(Metric source) {
  const auto found = std::ranges::find(history_metric_table, source, &HistoryMetricFacts::source);
  return found == history_metric_table.end() ? nullptr : &*found;
}

QuantizedValue quantize(HistoryMetric metric, double value) {
  return point_of(value, facts(metric).least, 1 / facts(metric).step);
}

double dequantize(HistoryMetric metric, QuantizedValue point) {
  return point == quantized_absent ? absent : facts(metric).least + point * facts(metric).step;
}

void QuantizedBatch::read(const SampleBatch& batch) {
  rows_ = batch.devices.size();
  values_.resize(rows_);
  points_.assign(rows_ * static_cast<std::size_t>(metrics_), quantized_absent);
  for (int number = 0; number < metrics_; ++number) {
    const HistoryMetricFacts& metric = history_metric_table[static_cast<std::size_t>(number)];
    const Column* column = column_of(batch, metric.source);
    if (column == nullptr) continue;
    decode(*column, values_);
    if (metric.metric == HistoryMetric::memory) {
      const Column* total = column_of(batch, Metric::memory_total);
      if (total == nullptr) continue;
      total_.resize(rows_);
      decode(*total, total_);
      for (std::size_t i = 0; i < rows_; ++i) values_[i] /= total_[i];  // 0 of 0 is NaN
    }
    if (metric.metric == HistoryMetric::throttled) {
      for (double& value : values_) {
        if (!std::isnan(value)) value = is_throttled(value) ? 1 : 0;
      }
    }
    QuantizedValue* point = &points_[static_cast<std::size_t>(number) * rows_];
    const double steps_per_one = 1 / metric.step;
    for (std::size_t i = 0; i < rows_; ++i) {
      point[i] = point_of(values_[i], metric.least, steps_per_one);
    }
  }
}

}  // namespace drover::tui
