// What devices at work cost, against the budget of the policy. The budget is a rate, so the plan is
// that rate over a time: what was planned by now, and what both rates add up to.
#pragma once

#include <deque>
#include <optional>

#include "fleet/base/time.h"
#include "tui/model/trend.h"

namespace drover::tui {

/// Money of a time, at the rates that the router reported in it.
struct SpentAndPlanned {
  Duration covered{};  // the time of which both rates are known
  double spent_usd = 0;
  double planned_usd = 0;
};

/// Sums up the rates between two moments. A point counts until the next one, but for no more than
/// `valid` or its own time: what is missing is not made up.
SpentAndPlanned spent_and_planned(const std::deque<TrendPoint>& points, Instant from, Instant now,
                                  Duration valid);

/// How long the budget of a time lasts at this rate: longer than that time if the rate is below the
/// budget. None if nothing is spent or there is no budget.
std::optional<Duration> budget_lasts(double spend_usd_per_h, double budget_usd_per_h,
                                     Duration time);

}  // namespace drover::tui
