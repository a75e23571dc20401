// How many retries may be out at once, so that a fleet in trouble is not given twice the work:
// Envoy's retry budget.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drover::router {

struct RetryBudget {
  double percent = 20;    // of the jobs that wait or run
  std::uint32_t min = 3;  // however few jobs there are
};

/// Whether one retry more is too many: `retries_out` reaches max(min, percent of `open_jobs`).
bool is_spent(const RetryBudget& budget, std::size_t retries_out, std::size_t open_jobs);

}  // namespace drover::router
