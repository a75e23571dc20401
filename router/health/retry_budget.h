// How many retries may start within a window, so that work which keeps failing does not overload a
// fleet in trouble: a rate budget as in Finagle and Linkerd (20 % of the load, over 10 s). Running
// retries are not counted: a repeated training runs for hours and would use up a budget of retries
// in flight for as long.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "fleet/base/time.h"

namespace drover::router {

struct RetryBudget {
  double percent = 20;    // of the open jobs
  std::uint32_t min = 3;  // lower bound, however few jobs there are
  Duration window = std::chrono::seconds(10);

  /// Retries that may start in any window.
  std::size_t most(std::size_t open_jobs) const {
    const double share = std::ceil(percent / 100.0 * static_cast<double>(open_jobs));
    return std::max<std::size_t>(min, static_cast<std::size_t>(share));
  }
};

/// The retries of the last window.
class RetryLog {
 public:
  void began(Instant now) { began_.push_back(now); }
  /// When one more may start: `now`, or later; `never` when none may.
  Instant next(Instant now, const RetryBudget& budget, std::size_t open_jobs) {
    while (!began_.empty() && began_.front() + budget.window <= now) began_.pop_front();
    const std::size_t most = budget.most(open_jobs);
    if (began_.size() < most) return now;
    if (most == 0) return never;
    return began_[began_.size() - most] + budget.window;
  }
  /// Retries in the window that ends at the last `next`.
  std::size_t size() const { return began_.size(); }

 private:
  std::deque<Instant> began_;
};

}  // namespace drover::router
