#include "tui/history/trend_past.h"

#include <algorithm>

namespace drover::tui {
namespace {

/// How much farther back than asked for one begins, so that steps back begin nothing anew.
Duration slack(Instant from, Instant to) { return (to - from) / 8; }

/// Models number pools in the order in which they heard of them.
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

std::vector<TrendPoint> points_from(const Model& model, Instant from, Duration bin) {
  std::vector<TrendPoint> points;
  for (const TrendPoint& point : model.curves().points_for(bin)) {
    if (point.at >= from) points.push_back(point);
  }
  return points;
}

std::vector<TrendPoint> TrendPast::read(const Timeline& timeline, const Model& model, Instant from,
                                        Instant to, Duration bin) {
  const std::deque<TrendPoint>& own = model.curves().points_for(bin);
  const Instant first = timeline.first();
  const Instant begin = std::max({from, first, to - std::min(to - first, timeline.reach())});
  if (own.empty() || own.front().at <= begin) return points_from(model, from, bin);
  // The model's first bin may have begun before the model did.
  const Instant known = own.size() > 1 ? own[1].at : own[0].at;
  go_on(timeline, begin, known, bin);
  std::vector<TrendPoint> points = points_from(past_->model, from, bin);
  std::erase_if(points, [&](const TrendPoint& point) { return point.at >= known; });
  for (TrendPoint& point : points) renumber_pools(point, past_->model, model);
  points.insert(points.end(), own.begin() + (own.size() > 1 ? 1 : 0), own.end());
  return points;
}

/// Whether what is kept goes back to `from`, or can be gone on with until it does.
bool TrendPast::knows(const Timeline& timeline, Instant from, Instant to, Duration bin) const {
  if (timeline_ != &timeline || !past_ || from < begun_ || from > past_->at) return false;
  // What went farther has let go what lies behind.
  const Trend& curves = past_->model.curves();
  return past_->at <= to || !curves.is_full(bin) || curves.points_for(bin)[1].at <= from;
}

/// Sees to it that the past from `from` up to `to` is known.
void TrendPast::go_on(const Timeline& timeline, Instant from, Instant to, Duration bin) {
  if (!knows(timeline, from, to, bin)) {
    timeline_ = &timeline;
    begun_ = std::max(timeline.first(), from - std::min(slack(from, to), from - timeline.first()));
    past_ = timeline.keyframe(begun_);
  }
  if (past_->at >= to) return;
  past_->position =
      timeline.visit(past_->position, to, [&](const Heard& heard) { apply(past_->model, heard); });
  past_->at = to;
  past_->model.tick(to);
}

}  // namespace drover::tui
