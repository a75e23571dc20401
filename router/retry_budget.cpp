#include "router/retry_budget.h"

#include <algorithm>

namespace drover::router {

bool is_spent(const RetryBudget& budget, std::size_t retries_out, std::size_t open_jobs) {
  const double share = budget.percent / 100.0 * static_cast<double>(open_jobs);
  return static_cast<double>(retries_out) >= std::max(static_cast<double>(budget.min), share);
}

}  // namespace drover::router
