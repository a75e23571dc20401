#include "tui/history/timeline_series.h"

#include <algorithm>
#include <utility>

namespace drover::tui {

const Series& SeriesReader::read(const Timeline& timeline, const DeviceId& device, Instant from,
                                 Instant to) {
  if (timeline_ != &timeline || device_ != device || from > to_ || to < from_) {
    timeline_ = &timeline;
    device_ = device;
    from_ = to_ = from;
    series_ = Series{};
  }
  if (from < from_) {
    const Series later = std::exchange(series_, Series{});
    visit(timeline, from, from_);
    append(later);
  }
  from_ = from;
  // Read the last instant again, if possible, as further batches may have arrived at it.
  const Instant again = std::min(to_, to);
  const Instant known = timeline.first() <= again ? again - Duration(1) : again;
  cut_from(known + Duration(1));
  visit(timeline, std::max(known, from), to);
  to_ = to;
  cut_before(from + Duration(1));
  return series_;
}

void SeriesReader::visit(const Timeline& timeline, Instant from, Instant to) {
  timeline.visit_batches(device_->host, from, to,
                         [&](Instant at, const SampleBatch& batch) { add(at, batch); });
}

void SeriesReader::add(Instant at, const SampleBatch& batch) {
  const auto device = std::find(batch.devices.begin(), batch.devices.end(), device_->index);
  if (device == batch.devices.end() || !check(batch)) return;
  const auto row = static_cast<std::size_t>(device - batch.devices.begin());
  if (series_.at.size() >= series_points_max) {
    cut_before(series_.at[series_points_max / 8]);  // many at once, as erasing is slow
  }
  series_.at.push_back(at);
  for (std::vector<double>& values : series_.values) values.push_back(absent);
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    double& value = series_.values[column.metric].back();
    decode_present(column, row, std::span<double>(&value, 1));
  }
}

void SeriesReader::append(const Series& later) {
  series_.at.insert(series_.at.end(), later.at.begin(), later.at.end());
  for (std::size_t metric = 0; metric < metric_count; ++metric) {
    const std::vector<double>& values = later.values[metric];
    series_.values[metric].insert(series_.values[metric].end(), values.begin(), values.end());
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
