// Upper bounds on what an attempt can have used and delivered, from its devices and the time since
// its lease; larger reports are clamped. Also checks that a Register is plausible.
#pragma once

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"

namespace drover::router {

struct PlausibleUsage {
  Usage usage;
  double elapsed_s = 0;
};

/// Rejects a Register with figures that no host can have. FleetState checks its price.
Status check_plausible(const Register& registration);

/// Bounds for one member. `elapsed`: time since the lease, plus the slack for clocks and messages.
PlausibleUsage bounds_of(const FleetState& fleet_state, const Member& member, Duration elapsed);

/// Each returns whether anything was clamped.
bool clamp_to(Usage& usage, const PlausibleUsage& most);
bool clamp_to(Outcome& outcome, const PlausibleUsage& most, const Job& job);
/// Clamps to what this much memory can hold: a token takes at least one byte.
bool clamp_to(Replica& replica, double memory_bytes);
/// Clamps a duration that an agent estimates to 0 .. 1 year. The codec accepts finite values only.
bool clamp_estimate(double& seconds);

}  // namespace drover::router
