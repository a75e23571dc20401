#include "tui/model/trend.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

Instant begin_of_bin(Instant at, Duration bin) {
  Duration over = at.time_since_epoch() % bin;
  if (over < Duration::zero()) over += bin;
  return at - over;
}

void keep_greatest(double& kept, double value) {
  if (std::isnan(kept) || value > kept) kept = value;
}

void keep_last(double& kept, double value) {
  if (!std::isnan(value)) kept = value;
}

/// What is shown over so long a time: watts and dollars, and their limits.
void fold(TrendPoint& bin, const TrendPoint& point) {
  keep_greatest(bin.power_w, point.power_w);
  keep_greatest(bin.usd_per_h, point.usd_per_h);
  keep_greatest(bin.spend_usd_per_h, point.spend_usd_per_h);
  keep_last(bin.budget_usd_per_h, point.budget_usd_per_h);
  keep_last(bin.site_cap_w, point.site_cap_w);
  bin.held_s = point.held_s;
  bin.pools.resize(std::max(bin.pools.size(), point.pools.size()));
  for (std::size_t pool = 0; pool < point.pools.size(); ++pool) {
    keep_greatest(bin.pools[pool].power_w, point.pools[pool].power_w);
    keep_last(bin.pools[pool].cap_w, point.pools[pool].cap_w);
  }
}

}  // namespace

void Trend::add(TrendPoint point) {
  for (std::size_t rung = 1; rung < rungs_.size(); ++rung) {
    std::deque<TrendPoint>& bins = rungs_[rung];
    const Instant begin = begin_of_bin(point.at, trend_rungs[rung].bin_s * wall_);
    if (bins.empty() || bins.back().at != begin) {
      bins.emplace_back().at = begin;
      if (bins.size() > trend_rungs[rung].points) bins.pop_front();
    }
    fold(bins.back(), point);
  }
  rungs_.front().push_back(std::move(point));
  if (rungs_.front().size() > trend_rungs.front().points) rungs_.front().pop_front();
}

std::size_t Trend::rung_for(Duration bin) const {
  std::size_t rung = 0;
  while (rung + 1 < rungs_.size() && trend_rungs[rung + 1].bin_s * wall_ <= bin) ++rung;
  return rung;
}

const std::deque<TrendPoint>& Trend::points_for(Duration bin) const {
  return rungs_[rung_for(bin)];
}

bool Trend::is_full(Duration bin) const {
  const std::size_t rung = rung_for(bin);
  return rungs_[rung].size() >= trend_rungs[rung].points;
}

std::size_t Trend::points() const {
  std::size_t points = 0;
  for (const std::deque<TrendPoint>& rung : rungs_) points += rung.size();
  return points;
}

}  // namespace drover::tui
