#include "tui/model/trend.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

void keep_greatest(double& kept, double value) {
  if (std::isnan(kept) || value > kept) kept = value;
}

void keep_last(double& kept, double value) {
  if (!std::isnan(value)) kept = value;
}

/// Adds a point to a bin.
void fold(TrendPoint& bin, const TrendPoint& point) {
  bin.pools.resize(std::max(bin.pools.size(), point.pools.size()));
  // The parts of the greatest sum, so that they add up to it.
  const bool has_peak = point.power_w > bin.power_w || std::isnan(bin.power_w);
  for (std::size_t pool = 0; has_peak && pool < point.pools.size(); ++pool) {
    bin.pools[pool].own_w = point.pools[pool].own_w;
  }
  keep_greatest(bin.utilization, point.utilization);
  keep_greatest(bin.power, point.power);
  keep_greatest(bin.queued, point.queued);
  keep_greatest(bin.running, point.running);
  keep_greatest(bin.finished_per_s, point.finished_per_s);
  keep_greatest(bin.power_w, point.power_w);
  keep_greatest(bin.usd_per_h, point.usd_per_h);
  keep_greatest(bin.spend_usd_per_h, point.spend_usd_per_h);
  keep_last(bin.budget_usd_per_h, point.budget_usd_per_h);
  keep_last(bin.site_cap_w, point.site_cap_w);
  bin.throttle_time_s = point.throttle_time_s;
  for (std::size_t pool = 0; pool < point.pools.size(); ++pool) {
    keep_greatest(bin.pools[pool].power_w, point.pools[pool].power_w);
    keep_last(bin.pools[pool].cap_w, point.pools[pool].cap_w);
  }
}

}  // namespace

std::int64_t bin_number(Instant at, Duration bin) {
  const Duration since = at.time_since_epoch();
  return since / bin - (since % bin < Duration::zero() ? 1 : 0);
}

void ThrottleTimeTracker::before(const DeviceTable& devices, DeviceTable::Row first,
                                 DeviceTable::Row count) {
  before_.clear();
  for (const ThrottleCause& cause : throttle_causes) {
    for (DeviceTable::Row row = first; row < first + count; ++row) {
      before_.push_back(devices.value(row, cause.metric));
    }
  }
}

void ThrottleTimeTracker::after(const DeviceTable& devices, DeviceTable::Row first,
                                DeviceTable::Row count) {
  auto before = before_.begin();
  for (std::size_t i = 0; i < throttle_causes.size(); ++i) {
    for (DeviceTable::Row row = first; row < first + count; ++row, ++before) {
      const double grown = devices.value(row, throttle_causes[i].metric) - *before;
      if (grown > 0) sum_[i] += grown;  // false for NaN, too
    }
  }
}

void Trend::add(TrendPoint point) {
  first_ = std::min(first_, point.at);
  for (std::size_t resolution = 1; resolution < resolutions_.size(); ++resolution) {
    std::deque<TrendPoint>& bins = resolutions_[resolution];
    const Duration bin = trend_resolutions[resolution].bin_s * wall_;
    const Instant begin(bin_number(point.at, bin) * bin);
    if (bins.empty() || bins.back().at != begin) {
      bins.emplace_back().at = begin;
      bins.back().lasts = bin;
      if (bins.size() > trend_resolutions[resolution].points) bins.pop_front();
    }
    fold(bins.back(), point);
  }
  resolutions_.front().push_back(std::move(point));
  if (resolutions_.front().size() > trend_resolutions.front().points)
    resolutions_.front().pop_front();
}

void Trend::add_older(const std::vector<TrendPoint>& points, Duration bin) {
  if (points.empty()) return;
  first_ = std::min(first_, points.front().at);
  for (std::size_t resolution = 0; resolution < resolutions_.size(); ++resolution) {
    std::deque<TrendPoint>& bins = resolutions_[resolution];
    const Duration step = trend_resolutions[resolution].bin_s * wall_;
    const Instant first = bins.empty() ? points.back().at + bin : bins.front().at;
    Instant at(bin_number(first - Duration(1), step) * step);
    for (; at >= points.front().at; at -= step) {
      if (bins.size() >= trend_resolutions[resolution].points) break;
      const auto place = std::min((at - points.front().at) / bin, std::ssize(points) - 1);
      bins.push_front(points[static_cast<std::size_t>(place)]);
      bins.front().at = at;
      bins.front().lasts = resolution == 0 ? Duration{} : step;
    }
  }
}

std::size_t Trend::resolution_for(Duration bin) const {
  std::size_t resolution = 0;
  while (resolution + 1 < resolutions_.size() &&
         trend_resolutions[resolution + 1].bin_s * wall_ <= bin)
    ++resolution;
  return resolution;
}

const std::deque<TrendPoint>& Trend::points_for(Duration bin) const {
  return resolutions_[resolution_for(bin)];
}

std::vector<TrendPoint> Trend::points_since(Instant from, Duration bin) const {
  std::vector<TrendPoint> points;
  // Longer bins are needed only where shorter ones have been dropped.
  const std::size_t shortest = resolution_for(bin);
  std::size_t longest = shortest;
  const auto reaches = [&](std::size_t resolution) {
    const std::deque<TrendPoint>& bins = resolutions_[resolution];
    return bins.size() < trend_resolutions[resolution].points || bins.front().at <= from;
  };
  while (longest + 1 < resolutions_.size() && !reaches(longest)) ++longest;
  for (std::size_t resolution = longest + 1; resolution-- > shortest;) {
    const std::deque<TrendPoint>& bins = resolutions_[resolution];
    while (!points.empty() && points.back().at >= bins.front().at) points.pop_back();
    for (const TrendPoint& point : bins) {
      if (saturating_add(point.at, point.lasts) >= from) points.push_back(point);
    }
  }
  return points;
}

Instant Trend::begin() const {
  const std::deque<TrendPoint>& longest = resolutions_.back();
  return longest.empty() ? never : std::max(first_, longest.front().at);
}

bool Trend::is_full(Duration bin) const {
  const std::size_t resolution = resolution_for(bin);
  return resolutions_[resolution].size() >= trend_resolutions[resolution].points;
}

std::size_t Trend::points() const {
  std::size_t points = 0;
  for (const std::deque<TrendPoint>& resolution : resolutions_) points += resolution.size();
  return points;
}

}  // namespace drover::tui
