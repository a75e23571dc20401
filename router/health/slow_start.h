// How much weight a returned place gets: slow start as in Envoy
// (arch_overview/upstream/load_balancing/slow_start), but only after a failure, as in HAProxy:
// never at the router's own start, when all places are new and none has failed.
#pragma once

#include <algorithm>
#include <cmath>

#include "fleet/base/time.h"

namespace drover::router {

struct SlowStart {
  double window_s = 60;     // 0: off
  double min_weight = 0.1;  // right after the return
  double aggression = 1;    // 1: linear in time; above 1: faster at first
};

/// The factor for a place that returned `since_return` ago: max(min_weight, (t / window)^(1 /
/// aggression)), and 1 after the window. If its tier has only this place, no other can take its
/// load, so the factor is 1.
inline double slow_start_factor(const SlowStart& rules, Duration since_return,
                                std::size_t places_in_tier) {
  const double elapsed_s = std::max(0.0, to_seconds(since_return));
  if (places_in_tier <= 1 || elapsed_s >= rules.window_s) return 1;
  return std::max(rules.min_weight, std::pow(elapsed_s / rules.window_s, 1 / rules.aggression));
}

}  // namespace drover::router
