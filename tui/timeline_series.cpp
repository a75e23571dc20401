#include "tui/timeline_series.h"

#include <algorithm>

namespace drover::tui {

const Series& SeriesReader::read(const Timeline& timeline, const DeviceId& device, Instant to) {
  if (timeline_ != &timeline || device_ != device) {
    timeline_ = &timeline;
    device_ = device;
    read_to_ = Instant::min();
    series_ = Series{};
  }
  // From the instant that was read last on: more may have been heard in it since.
  const Instant again = std::min(read_to_, to);
  cut_from(again);
  cut_before(timeline.first());
  const Instant from = again == Instant::min() ? again : again - Duration(1);
  timeline.visit_batches(device.host, from, to,
                         [&](Instant at, const SampleBatch& batch) { add(at, batch); });
  read_to_ = to;
  return series_;
}

void SeriesReader::add(Instant at, const SampleBatch& batch) {
  const auto device = std::find(batch.devices.begin(), batch.devices.end(), device_->index);
  if (device == batch.devices.end() || !check(batch)) return;
  const auto row = static_cast<std::size_t>(device - batch.devices.begin());
  if (series_.at.size() >= series_points_max) {
    cut_before(series_.at[series_points_max / 8]);  // not one by one
  }
  series_.at.push_back(at);
  for (std::vector<double>& values : series_.values) values.push_back(absent);
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    double& value = series_.values[column.metric].back();
    decode_present(column, row, std::span<double>(&value, 1));
  }
}

void SeriesReader::cut_from(Instant at) {
  const auto end = std::lower_bound(series_.at.begin(), series_.at.end(), at);
  const auto count = static_cast<std::size_t>(end - series_.at.begin());
  series_.at.resize(count);
  for (std::vector<double>& values : series_.values) values.resize(count);
}

void SeriesReader::cut_before(Instant at) {
  const auto begin = std::lower_bound(series_.at.begin(), series_.at.end(), at);
  const auto count = begin - series_.at.begin();
  series_.at.erase(series_.at.begin(), begin);
  for (std::vector<double>& values : series_.values) {
    values.erase(values.begin(), values.begin() + count);
  }
}

}  // namespace drover::tui
