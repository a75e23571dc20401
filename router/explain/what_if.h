// One hypothetical change: a copy of the job and the policy, an undoable change of the fleet, and
// a decision on them.
#pragma once

#include <deque>

#include "router/decision/decide.h"
#include "router/fleet_state/what_if_fleet.h"

namespace drover::router {

struct WhatIf {
  WhatIf(FleetState& fleet_state, const Policy& in_force, const PlacementRequest& asked,
         Instant at);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  /// Lets time pass: gangs end as expected, and devices that send samples continue to.
  void pass(double seconds);
  /// The policy's rule of this name; null: none.
  Rule* rule(const std::string& name) { return find_by(policy.rules, &Rule::name, name); }

  /// Whether the job is placed; with `loads`, after a replica was loaded for it.
  bool places(Estimator& estimator);

  Job job;
  Policy policy;
  PlacementRequest request;  // of `job`
  Instant now;
  bool loads = false;
  WhatIfFleet fleet;
  std::deque<devices::DeviceSpec> specs;  // hypothetical kinds of devices

 private:
  bool load(Estimator& estimator, RandomStream& random);
};

}  // namespace drover::router
