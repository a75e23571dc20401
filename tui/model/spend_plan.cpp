#include "tui/model/spend_plan.h"

#include <algorithm>

namespace drover::tui {

SpentAndPlanned spent_and_planned(const std::deque<TrendPoint>& points, Instant from, Instant now,
                                  Duration valid) {
  SpentAndPlanned sum;
  for (auto point = points.begin(); point != points.end() && point->at < now; ++point) {
    const bool known = point->spend_usd_per_h >= 0 && point->budget_usd_per_h > 0;
    if (!known) continue;  // NaN is not
    const auto next = std::next(point);
    const Instant end = std::min(next == points.end() ? now : next->at, now);
    const Instant until = std::min(end, point->at + std::max(valid, point->lasts));
    const Duration lasts = until - std::max(from, point->at);
    if (lasts <= Duration{0}) continue;
    const double hours = to_seconds(lasts) / 3600;
    sum.covered += lasts;
    sum.spent_usd += point->spend_usd_per_h * hours;
    sum.planned_usd += point->budget_usd_per_h * hours;
  }
  return sum;
}

std::optional<Duration> budget_lasts(double spend_usd_per_h, double budget_usd_per_h,
                                     Duration time) {
  if (!(spend_usd_per_h > 0) || !(budget_usd_per_h > 0)) return std::nullopt;
  const double most_s = to_seconds(std::chrono::hours(24 * 365 * 10));
  const double lasts_s = to_seconds(time) * budget_usd_per_h / spend_usd_per_h;
  return from_seconds(std::min(lasts_s, most_s));
}

}  // namespace drover::tui
