// Reports on a policy's pools: devices by health, power and current cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/summary.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"

namespace drover::router {

/// One report per pool, in the policy's order. Hosts that left cleanly do not count as lost.
/// `waiting`: jobs by preferred pool. Takes one pass over the fleet.
std::vector<PoolReport> pool_reports(const FleetState& fleet_state, const Policy& policy,
                                     const std::map<std::string, std::uint64_t>& waiting);

/// Spend rate of all devices in use: those of gangs, and those of replicas with requests.
double spend_usd_per_h(const FleetState& fleet_state, const Policy& policy);

}  // namespace drover::router
