// What was spent and planned, from curves of rates.
#include "tui/model/spend_plan.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
constexpr Instant plan_noon{seconds(1'763'726'400)};

TrendPoint rates_at(int at_s, double spend, double budget, int lasts_s = 0) {
  TrendPoint point;
  point.at = plan_noon + seconds(at_s);
  point.lasts = seconds(lasts_s);
  point.spend_usd_per_h = spend;
  point.budget_usd_per_h = budget;
  return point;
}

struct SpendCase {
  const char* promise;
  std::deque<TrendPoint> points;
  int now_s;
  int covered_s;
  double spent_usd, planned_usd;
};

TEST(SpendPlan, AddsUpTheRatesOfTheTimeThatIsKnown) {
  for (const SpendCase& row : std::vector<SpendCase>{
           {"nothing is known of no points", {}, 10, 0, 0, 0},
           {"each counts until the next one, the last until now",
            {rates_at(0, 3600, 7200), rates_at(1, 7200, 7200)},
            2,
            2,
            3,
            4},
           {"a budget that changes is the plan from then on",
            {rates_at(0, 3600, 3600), rates_at(1, 3600, 36000)},
            2,
            2,
            2,
            11},
           {"without a budget there is no plan",
            {rates_at(0, 3600, 0), rates_at(1, 3600, absent)},
            2,
            0,
            0,
            0},
           {"an unknown rate is not made up",
            {rates_at(0, absent, 3600), rates_at(1, 3600, 3600)},
            2,
            1,
            1,
            1},
           {"a gap counts for two seconds at most",
            {rates_at(0, 3600, 3600), rates_at(100, 3600, 3600)},
            101,
            3,
            3,
            3},
           {"unless the point stands for a longer time",
            {rates_at(0, 3600, 3600, 10), rates_at(10, 3600, 3600)},
            11,
            11,
            11,
            11},
           {"points of the future do not count",
            {rates_at(0, 3600, 3600), rates_at(5, 3600, 3600)},
            1,
            1,
            1,
            1},
           {"nor does the time before the beginning, of a point that stands for a longer one",
            {rates_at(-20, 3600, 3600, 10), rates_at(-10, 3600, 7200, 10), rates_at(0, 3600, 3600)},
            1,
            6,
            6,
            11},
       }) {
    const SpentAndPlanned sum = spent_and_planned(row.points, plan_noon - seconds(5),
                                                  plan_noon + seconds(row.now_s), seconds(2));
    EXPECT_EQ(sum.covered, seconds(row.covered_s)) << row.promise;
    EXPECT_NEAR(sum.spent_usd, row.spent_usd, 1e-9) << row.promise;
    EXPECT_NEAR(sum.planned_usd, row.planned_usd, 1e-9) << row.promise;
  }
}

TEST(SpendPlan, ABudgetLastsLongerTheLessIsSpent) {
  EXPECT_EQ(budget_lasts(90, 90, hours(24)), hours(24));
  EXPECT_EQ(budget_lasts(180, 90, hours(24)), hours(12));
  EXPECT_EQ(budget_lasts(45, 90, hours(24)), hours(48));
  EXPECT_EQ(budget_lasts(1e-9, 90, hours(24)), hours(24 * 365 * 10)) << "not without end";
  for (const auto& [spend, budget] :
       std::vector<std::pair<double, double>>{{0, 90}, {90, 0}, {absent, 90}, {90, absent}}) {
    EXPECT_FALSE(budget_lasts(spend, budget, hours(24)));
  }
}

}  // namespace
}  // namespace drover::tui
