// What an attempt holds in FleetState and in its tenant's account while it lasts, counted at once,
// before any sample shows it.
#pragma once

#include "fleet/base/time.h"
#include "router/decision/decide.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/fair_share.h"
#include "router/jobs/job_table.h"

namespace drover::router {

/// Reserves what the record's lease describes. Only times and watts of `place` are used: the extra
/// watts of each device of a gang; for a replica, its power above context-idle power.
void make_reservation(Instant now, JobRecord& record, const Allocation& place,
                      FleetState& fleet_state, FairShare& tenants);
/// Does nothing when there is none.
void release_reservation(JobRecord& record, FleetState& fleet_state, FairShare& tenants);

}  // namespace drover::router
