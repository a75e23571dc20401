// The curves from before this dashboard came, as the router kept them.
#include <algorithm>
#include <cmath>

#include "tui/model/model.h"

namespace drover::tui {
namespace {

/// The curve that a series of the whole fleet belongs to; null: of none.
double* curve_of(TrendPoint& point, std::string_view name) {
  struct Curve {
    std::string_view name;
    double TrendPoint::*value;
  };
  constexpr std::array curves = {Curve{"utilization", &TrendPoint::utilization},
                                 Curve{"power_share", &TrendPoint::power},
                                 Curve{"queued", &TrendPoint::queued},
                                 Curve{"running", &TrendPoint::running},
                                 Curve{"finished_per_s", &TrendPoint::finished_per_s},
                                 Curve{"power_w", &TrendPoint::power_w},
                                 Curve{"usd_per_h", &TrendPoint::usd_per_h},
                                 Curve{"spend_usd_per_h", &TrendPoint::spend_usd_per_h},
                                 Curve{"budget_usd_per_h", &TrendPoint::budget_usd_per_h},
                                 Curve{"power_cap_w", &TrendPoint::site_cap_w}};
  const auto found = std::ranges::find(curves, name, &Curve::name);
  return found == curves.end() ? nullptr : &(point.*found->value);
}

void set_pool(TrendPoint& point, std::size_t place, std::string_view name, double value) {
  point.pools.resize(std::max(point.pools.size(), place + 1));
  if (name == "power_w") point.pools[place].power_w = point.pools[place].own_w = value;
  if (name == "power_cap_w") point.pools[place].cap_w = value;
}

/// A device of several pools counts in each of them, and the router does not say which devices
/// these are. So the pools share what the fleet drew: their stack is never higher than that.
void share_out(TrendPoint& point) {
  double sum_w = 0;
  for (const auto& pool : point.pools) {
    if (!std::isnan(pool.own_w)) sum_w += pool.own_w;
  }
  if (!(sum_w > point.power_w)) return;
  for (auto& pool : point.pools) pool.own_w *= point.power_w / sum_w;
}

}  // namespace

bool Model::take(Instant, const Envelope&, const HistoryReply& reply) {
  if (!reply.host.empty() || reply.series.empty() || reply.bin <= Duration::zero()) return false;
  std::vector<TrendPoint> points(history_value_count(reply.series.front().values));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].throttle_time_s.fill(absent);  // the model counts since it began
    points[i].at = saturating_add(reply.begin, static_cast<Duration::rep>(i) * reply.bin);
  }
  for (const HistorySeries& series : reply.series) {
    const auto pool = std::ranges::find(pools_, series.pool);
    if (!series.pool.empty() && pool == pools_.end()) continue;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double value = history_value_at(series.values, i);
      if (!series.pool.empty()) {
        set_pool(points[i], static_cast<std::size_t>(pool - pools_.begin()), series.name, value);
      } else if (double* const curve = curve_of(points[i], series.name)) {
        *curve = value;
      }
    }
  }
  for (TrendPoint& point : points) share_out(point);
  curves_.add_older(points, reply.bin);
  return true;
}

}  // namespace drover::tui
