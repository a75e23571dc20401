// A decision in full: the status of each candidate, and what would let a waiting job run.
#pragma once

#include <vector>

#include "fleet/decision.h"
#include "router/decision/candidates.h"
#include "router/decision/decide.h"
#include "router/explain/freeing_plan.h"

namespace drover::router {

/// The record as text: scored candidates first, best first, then the rejected ones in the order of
/// evaluation, each with every filter that it failed. A group is named "host/gN".
std::vector<CandidateStatus> candidate_statuses(const FleetState& fleet_state, const Policy& policy,
                                                const std::vector<RecordRow>& record);

/// What is known of a wait besides the fleet and the policy.
struct WaitState {
  std::vector<Preemption> kept;  // by preemptions in progress, and for replica unloads
  Instant fails_at = never;      // end of its longest wait
};

/// For a waiting job: single changes, each of which would place it in the current fleet. They are
/// derived from candidates in the pools of its rule and fallbacks that are rejected for only one
/// reason. Each is verified: the job is decided as usual (fallbacks, guards, floors, failback) with
/// this change alone to job, policy or fleet. For each reason the smallest change that places the
/// job is returned; changes that happen by themselves come first, the soonest first. Where only
/// precision rejects a candidate, the precision that would be accepted is named.
///
/// The fleet state is changed for each trial and restored afterwards. At most four trials per
/// reason and pool, so a query costs as much as a few dozen decisions.
std::vector<NearestFit> nearest_fits(FleetState& fleet_state, const Policy& policy,
                                     Estimator& estimator, const PlacementRequest& request,
                                     Instant now, const WaitState& wait = {});

}  // namespace drover::router
