#include "tui/history/trend_backfill.h"

#include <algorithm>

namespace drover::tui {
namespace {

/// How much earlier than requested to begin, so that steps back need no new backfill.
Duration slack(Instant from, Instant to) { return (to - from) / 8; }

/// Renumbers pools, as models number them in the order of their first appearance.
void renumber_pools(TrendPoint& point, const Model& from, const Model& to) {
  std::vector<TrendPoint::Pool> pools(to.pools().size());
  for (std::size_t pool = 0; pool < point.pools.size(); ++pool) {
    const auto place = std::find(to.pools().begin(), to.pools().end(), from.pools()[pool]);
    if (place == to.pools().end()) continue;
    pools[static_cast<std::size_t>(place - to.pools().begin())] = point.pools[pool];
  }
  point.pools = std::move(pools);
}

}  // namespace

std::vector<TrendPoint> TrendBackfill::read(const Timeline& timeline, const Model& model,
                                            Instant from, Instant to, Duration bin) {
  std::vector<TrendPoint> own = model.fleet_trend().points_since(from, bin);
  const Instant first = timeline.first();
  const Instant begin = std::max({from, first, to - std::min(to - first, timeline.reach())});
  if (own.empty() || own.front().at <= begin) return own;
  // The model's first bin may be incomplete.
  const Instant known = own.size() > 1 ? own[1].at : own[0].at;
  advance(timeline, begin, known, bin);
  std::vector<TrendPoint> points = past_->model.fleet_trend().points_since(from, bin);
  std::erase_if(points, [&](const TrendPoint& point) { return point.at >= known; });
  for (TrendPoint& point : points) renumber_pools(point, past_->model, model);
  points.insert(points.end(), own.begin() + (own.size() > 1 ? 1 : 0), own.end());
  return points;
}

/// Whether the cached model has the points from `from` on, or will have them when advanced.
bool TrendBackfill::knows(const Timeline& timeline, Instant from, Instant to, Duration bin) const {
  if (timeline_ != &timeline || !past_ || from < begun_ || from > past_->at) return false;
  // A model that is past `to` may have dropped older points.
  const Trend& fleet_trend = past_->model.fleet_trend();
  return past_->at <= to || !fleet_trend.is_full(bin) || fleet_trend.points_for(bin)[1].at <= from;
}

/// Makes the cached model have the points from `from` up to `to`.
void TrendBackfill::advance(const Timeline& timeline, Instant from, Instant to, Duration bin) {
  if (!knows(timeline, from, to, bin)) {
    timeline_ = &timeline;
    begun_ = std::max(timeline.first(), from - std::min(slack(from, to), from - timeline.first()));
    past_ = timeline.keyframe(begun_);
  }
  if (past_->at >= to) return;
  past_->position = timeline.visit(
      past_->position, to, [&](const StreamRecord& record) { apply(past_->model, record); });
  past_->at = to;
  past_->model.tick(to);
}

}  // namespace drover::tui
