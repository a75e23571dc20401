// A decision told whole: how each candidate stood, and what would let a waiting job go.
#pragma once

#include <vector>

#include "fleet/decision.h"
#include "router/decide.h"
#include "router/decide_candidates.h"

namespace drover::router {

/// The record in words: scored candidates first, best first, then the rejected ones in the order in
/// which they were looked at, each with every filter that it failed. A group is called "host/gN".
std::vector<Standing> standings_of(const Roster& roster, const Policy& policy,
                                   const std::vector<RecordRow>& record);

/// For a job that waits: places of the pools that its rule and fallbacks name which only one filter
/// rejects, as the fleet stands now. Of each reason the smallest change; what passes by itself
/// first, the soonest first. Where precision alone stands against a place, the precision that would
/// do is named.
std::vector<NearestFit> nearest_fits(const Roster& roster, const Policy& policy,
                                     Estimator& estimator, const Ask& ask, Instant now);

}  // namespace drover::router
