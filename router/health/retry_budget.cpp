#include "router/health/retry_budget.h"

#include <algorithm>
#include <cmath>

namespace drover::router {

std::size_t RetryBudget::most(std::size_t open_jobs) const {
  const double share = std::ceil(percent / 100.0 * static_cast<double>(open_jobs));
  return std::max<std::size_t>(min, static_cast<std::size_t>(share));
}

Instant RetryLog::next(Instant now, const RetryBudget& budget, std::size_t open_jobs) {
  while (!began_.empty() && began_.front() + budget.window <= now) began_.pop_front();
  const std::size_t most = budget.most(open_jobs);
  if (began_.size() < most) return now;
  if (most == 0) return never;
  return began_[began_.size() - most] + budget.window;
}

}  // namespace drover::router
