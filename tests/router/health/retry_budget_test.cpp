#include "router/health/retry_budget.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr Instant budget_start = Instant{} + std::chrono::hours(1);

TEST(RetryBudget, IsAShareOfTheOpenJobsAndNeverBelowTheMinimum) {
  struct Case {
    RetryBudget budget;
    std::size_t open_jobs;
    std::size_t most;
  };
  for (const Case& one : std::vector<Case>{
           {{20, 3}, 1, 3},  // the minimum, though a fifth of one job is less
           {{20, 3}, 15, 3},
           {{20, 3}, 16, 4},  // 3.2: a fourth one may begin
           {{20, 3}, 1000, 200},
           {{0, 0}, 1000, 0},  // no retries at all
           {{0, 1}, 0, 1},
           {{100, 0}, 1000, 1000},
       }) {
    EXPECT_EQ(one.budget.most(one.open_jobs), one.most) << one.open_jobs << " open jobs";
  }
}

TEST(RetryBudget, LimitsRetriesStartedPerWindowNotRetriesRunning) {
  const RetryBudget budget{0, 3, seconds(10)};
  RetryLog log;
  for (int second = 0; second < 3; ++second) {
    const Instant now = budget_start + seconds(second);
    EXPECT_EQ(log.next(now, budget, 8), now);
    log.began(now);
  }
  EXPECT_EQ(log.next(budget_start + seconds(3), budget, 8), budget_start + seconds(10))
      << "when the first one is a window ago";
  EXPECT_EQ(log.size(), 3U);
  EXPECT_EQ(log.next(budget_start + seconds(10), budget, 8), budget_start + seconds(10))
      << "though none of them has ended";
  log.began(budget_start + seconds(10));
  EXPECT_EQ(log.next(budget_start + seconds(10), budget, 8), budget_start + seconds(11));
}

TEST(RetryBudget, OfZeroNeverAllowsARetry) {
  RetryLog log;
  EXPECT_EQ(log.next(budget_start, {0, 0, seconds(10)}, 100), never);
}

TEST(RetryBudget, ThatShrinksBlocksRetriesUntilEnoughLeaveTheWindow) {
  RetryLog log;
  for (int second = 0; second < 5; ++second) log.began(budget_start + seconds(second));
  EXPECT_EQ(log.next(budget_start + seconds(5), {0, 2, seconds(10)}, 8),
            budget_start + seconds(13));
}

}  // namespace
}  // namespace drover::router
