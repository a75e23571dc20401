#include "tui/model/device_table.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr double temperature_cold_c = 20;  // assumed: about the inlet air of a data centre
constexpr double temperature_hot_c = 100;  // assumed: above every known slowdown limit

template <typename T>
void pick(std::vector<T>& column, std::span<const DeviceTable::Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
  column.resize(rows.size());
}

template <typename T>
void cut(std::vector<T>& column, std::size_t first, std::size_t count) {
  const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
  column.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

bool is_throttled(double throttle) {
  // Received values may exceed 32 bits or be NaN.
  return throttle >= 0 && (static_cast<std::uint32_t>(std::min(throttle, 4e9)) &
                           ~std::uint32_t{throttle_gpu_idle}) != 0;
}

DeviceTable::Row DeviceTable::append(std::uint32_t host, const std::vector<Group>& groups,
                                     const std::vector<std::uint16_t>& specs,
                                     const std::vector<std::uint16_t>& pools) {
  DROVER_REQUIRE(groups.size() == specs.size() && groups.size() == pools.size());
  const Row first = rows();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::uint32_t i = 0; i < groups[g].count; ++i) {
      host_.push_back(host);
      index_.push_back(static_cast<std::uint16_t>(groups[g].first + i));
      group_.push_back(groups[g].number);
      spec_.push_back(specs[g]);
      pools_.push_back(pools[g]);
      cap_w_.push_back(groups[g].power_cap_w);
    }
  }
  const std::size_t count = host_.size();
  for (std::vector<double>& column : last_) column.resize(count, absent);
  arrived_.resize(count, Instant::min());
  throttled_since_.resize(count, Instant::min());
  return first;
}

void DeviceTable::remove(Row first, Row count) {
  cut(host_, first, count);
  cut(index_, first, count);
  cut(group_, first, count);
  cut(spec_, first, count);
  cut(pools_, first, count);
  cut(cap_w_, first, count);
  for (std::vector<double>& column : last_) cut(column, first, count);
  cut(arrived_, first, count);
  cut(throttled_since_, first, count);
}

void DeviceTable::keep(std::span<const Row> rows, std::span<const std::uint32_t> hosts) {
  DROVER_REQUIRE(rows.size() == hosts.size() && std::is_sorted(rows.begin(), rows.end()));
  host_.assign(hosts.begin(), hosts.end());
  pick(index_, rows);
  pick(group_, rows);
  pick(spec_, rows);
  pick(pools_, rows);
  pick(cap_w_, rows);
  for (std::vector<double>& column : last_) pick(column, rows);
  pick(arrived_, rows);
  pick(throttled_since_, rows);
}

DeviceTable::Row DeviceTable::find(Row first, Row count, std::uint16_t index) const {
  // Nearly every host numbers its devices from 0 without gaps.
  if (index < count && index_[first + index] == index) return first + index;
  for (Row row = first; row < first + count; ++row) {
    if (index_[row] == index) return row;
  }
  return rows();
}

void DeviceTable::take(Instant now, Row first, Row count, const SampleBatch& batch) {
  std::vector<Row> targets;
  targets.reserve(batch.devices.size());
  for (const std::uint16_t device : batch.devices) targets.push_back(find(first, count, device));
  std::vector<double> values(batch.devices.size());
  for (std::vector<double>& column : last_) {
    for (const Row row : targets) {
      if (row < rows()) column[row] = absent;
    }
  }
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    decode(column, values);
    std::vector<double>& last = last_[column.metric];
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] < rows()) last[targets[i]] = values[i];
    }
  }
  for (const Row row : targets) {
    if (row >= rows()) continue;
    arrived_[row] = now;
    if (!is_throttled(value(row, Metric::throttle))) {
      throttled_since_[row] = Instant::min();
    } else if (throttled_since_[row] == Instant::min()) {
      throttled_since_[row] = now;
    }
  }
}

double DeviceTable::share(Row row, GaugeMetric gauge_metric) const {
  switch (gauge_metric) {
    case GaugeMetric::utilization:
      return value(row, Metric::utilization);
    case GaugeMetric::memory:
      return value(row, Metric::memory_used) / value(row, Metric::memory_total);
    case GaugeMetric::power:
      return on_scale(row, gauge_metric, value(row, Metric::power));
    case GaugeMetric::temperature:
      return on_scale(row, gauge_metric, value(row, Metric::temperature));
  }
  return absent;
}

double DeviceTable::on_scale(Row row, GaugeMetric gauge_metric, double reading) const {
  if (gauge_metric == GaugeMetric::temperature) {
    return (reading - temperature_cold_c) / (temperature_hot_c - temperature_cold_c);
  }
  if (gauge_metric != GaugeMetric::power) return reading;
  const double cap = value(row, Metric::power_cap);
  const double limit = std::isnan(cap) ? cap_w_[row] : cap;
  return limit > 0 ? reading / limit : absent;
}

std::size_t DeviceTable::row_bytes() {
  return metric_count * sizeof(double) + 2 * sizeof(Instant) + 24;
}

}  // namespace drover::tui
