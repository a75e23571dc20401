// How the pools of a policy stand: their devices by health, their power and what they cost now.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/summary.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

/// One for each pool, in the policy's order. Hosts that have left in order are no loss. `waiting`:
/// jobs by the pool that they want first. One pass over the fleet.
std::vector<PoolReport> pool_reports(const Roster& roster, const Policy& policy,
                                     const std::map<std::string, std::uint64_t>& waiting);

/// Of all devices that work: those of gangs, and those of replicas that have requests.
double spend_usd_per_h(const Roster& roster, const Policy& policy);

}  // namespace drover::router
