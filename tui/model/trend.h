// The fleet's curves: what was known of it at each instant of a grid of fleet time, as a ladder of
// three rungs. The last minutes second by second, longer times by longer bins; seconds of the wall,
// in fleet time.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <vector>

#include "fleet/base/time.h"
#include "tui/model/held_times.h"

namespace drover::tui {

/// One point of the curves; shares are 0..1, NaN when unknown.
struct TrendPoint {
  Instant at{};
  double utilization = absent;
  double power = absent;  // share of all caps
  double queued = absent;
  double running = absent;
  double finished_per_s = absent;
  double power_w = absent;           // of all devices that report
  double usd_per_h = absent;         // of all devices of hosts that are not lost
  double spend_usd_per_h = absent;   // of devices that work, as the router says
  double budget_usd_per_h = absent;  // also where there is none
  double site_cap_w = absent;        // also where there is none
  HeldTimes held_s{};                // of all devices, since the model began
  struct Pool {
    double power_w = absent;
    double cap_w = absent;  // also where there is none
  };
  std::vector<Pool> pools;  // by the numbers of Model::pools(); may be shorter
};

struct TrendRung {
  int bin_s;           // of the wall
  std::size_t points;  // that are kept
};
/// Four minutes, forty, two hours.
inline constexpr std::array<TrendRung, 3> trend_rungs = {{{1, 240}, {10, 240}, {30, 240}}};

class Trend {
 public:
  /// `wall` is one wall second in fleet time.
  explicit Trend(Duration wall) : wall_(wall) {}

  /// REQUIRES that it is later than those before.
  void add(TrendPoint point);

  /// As they were added.
  const std::deque<TrendPoint>& seconds() const { return rungs_.front(); }
  /// Of the longest bins that are no longer than `bin`, with the one that is still open: each at
  /// its bin's beginning, with the greatest watts and dollars in it (a peak is what trips a limit)
  /// and its last caps.
  const std::deque<TrendPoint>& points_for(Duration bin) const;
  /// Of points_for: the oldest go as others come.
  bool is_full(Duration bin) const;
  std::size_t points() const;  // of all rungs

 private:
  std::size_t rung_for(Duration bin) const;

  Duration wall_;
  std::array<std::deque<TrendPoint>, trend_rungs.size()> rungs_;
};

}  // namespace drover::tui
