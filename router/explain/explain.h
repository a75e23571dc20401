// A decision told whole: how each candidate stood, and what would let a waiting job go.
#pragma once

#include <vector>

#include "fleet/decision.h"
#include "router/decision/decide.h"
#include "router/decision/decide_candidates.h"
#include "router/explain/freeing.h"

namespace drover::router {

/// The record in words: scored candidates first, best first, then the rejected ones in the order in
/// which they were looked at, each with every filter that it failed. A group is called "host/gN".
std::vector<Standing> standings_of(const Roster& roster, const Policy& policy,
                                   const std::vector<RecordRow>& record);

/// What is known of a wait beside the fleet and the policy.
struct Wait {
  std::vector<KeptDevices> kept;  // by preemptions under way, and where replicas give way
  Instant fails_at = never;       // it has waited as long as it may then
};

/// For a job that waits: changes that would each place it by itself, as the fleet stands now. They
/// are found at places of the pools that its rule and fallbacks name, where one reason stands
/// against it, and tried: a job, policy and fleet with this change and no other are decided as
/// ever, fallbacks, guards, floors and failback included. Of each reason the smallest change that
/// places it; what passes by itself goes first, the soonest first. Where precision alone stands
/// against a place, the precision that would do is named.
///
/// The roster is changed for each trial and is afterwards as it was. Of each reason and pool at
/// most four are tried, so the question costs as much as some dozens of decisions.
std::vector<NearestFit> nearest_fits(Roster& roster, const Policy& policy, Estimator& estimator,
                                     const Ask& ask, Instant now, const Wait& wait = {});

}  // namespace drover::router
