// How many retries may begin within a while, so that work which keeps failing is not given to a
// fleet in trouble again and again: a budget of a rate, as Finagle and Linkerd have it (20 % of the
// load, over 10 s). What runs is not counted: a training that is repeated runs for hours, and would
// keep its share of a budget of retries in flight for as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "fleet/base/time.h"

namespace drover::router {

struct RetryBudget {
  double percent = 20;    // of the jobs that wait or run
  std::uint32_t min = 3;  // however few jobs there are
  Duration window = std::chrono::seconds(10);

  /// Retries that may begin in any window.
  std::size_t most(std::size_t open_jobs) const;
};

/// The retries of the last window.
class RetryLog {
 public:
  void began(Instant now) { began_.push_back(now); }
  /// When one more may begin: `now`, or later; `never` where none may at all.
  Instant next(Instant now, const RetryBudget& budget, std::size_t open_jobs);
  /// In the window that ends now, as of the last `next`.
  std::size_t size() const { return began_.size(); }

 private:
  std::deque<Instant> began_;
};

}  // namespace drover::router
