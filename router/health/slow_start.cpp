#include "router/health/slow_start.h"

#include <algorithm>
#include <cmath>

namespace drover::router {

double slow_start_factor(const SlowStart& rules, Duration since_return,
                         std::size_t places_in_tier) {
  const double elapsed_s = std::max(0.0, to_seconds(since_return));
  if (places_in_tier <= 1 || elapsed_s >= rules.window_s) return 1;
  return std::max(rules.min_weight, std::pow(elapsed_s / rules.window_s, 1 / rules.aggression));
}

}  // namespace drover::router
