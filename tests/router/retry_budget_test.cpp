#include "router/retry_budget.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

struct Case {
  RetryBudget budget;
  std::size_t retries_out;
  std::size_t open_jobs;
  bool spent;
};

TEST(RetryBudget, IsAShareOfTheOpenJobsAndNeverBelowTheMinimum) {
  for (const Case& one : std::vector<Case>{
           {{20, 3}, 0, 1, false},
           {{20, 3}, 2, 1, false},
           {{20, 3}, 3, 1, true},  // the minimum, though a fifth of one job is less
           {{20, 3}, 3, 15, true},
           {{20, 3}, 3, 16, false},  // 3.2: a fourth one begins
           {{20, 3}, 4, 16, true},
           {{20, 3}, 199, 1000, false},
           {{20, 3}, 200, 1000, true},
           {{0, 0}, 0, 1000, true},  // no retries at all
           {{0, 1}, 0, 0, false},
           {{100, 0}, 999, 1000, false},
           {{100, 0}, 1000, 1000, true},
       }) {
    EXPECT_EQ(is_spent(one.budget, one.retries_out, one.open_jobs), one.spent)
        << one.retries_out << " of " << one.open_jobs;
  }
}

}  // namespace
}  // namespace drover::router
