// What occupies the devices that a job needs, and what it takes to free them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/reason.h"
#include "router/decision/candidates.h"
#include "router/explain/what_if.h"
#include "router/jobs/preemption_table.h"

namespace drover::router {

/// Everything that must happen before enough devices of one or several groups are free.
struct FreeingPlan {
  double wait_s = 0;                // until gangs are expected to have ended
  std::set<JobId> ends;             // gangs already past their expected end
  std::set<JobId> leaving;          // gangs preempted for the job
  double leaving_s = 0;             // by when they have left
  std::set<ReplicaIndex> replicas;  // replicas that must be unloaded
  std::set<JobId> kept_for;         // jobs that devices are reserved for
  std::set<DeviceIndex> drained, unusable;
  std::set<HostIndex> silent;

  /// `unhealthy` if something must be repaired, else `drain` if something must be resumed, else
  /// `capacity`.
  Reason reason() const;
  /// Whether it happens without an operator.
  bool by_itself(const PlacementQuery& query) const;
  std::string text(const PlacementQuery& query) const;
  void make(const std::vector<Preemption>& kept, WhatIf& what_if) const;
  void add(const FreeingPlan& other);
};

/// The least that must happen before `count` devices of the group are free, in the shape that a
/// gang or replica needs. What passes on its own comes before what an operator must do: gangs that
/// end, replicas that are unloaded, devices reserved for another job, replicas that stay, drained
/// devices, unusable ones. Only what affects the devices to be used is included. Nothing: the
/// group is too small, or its host is leaving.
std::optional<FreeingPlan> cheapest_freeing_plan(const PlacementQuery& query,
                                                 const std::vector<Preemption>& kept,
                                                 GroupIndex group, int count);

/// "resume h1/3", "resume host:h1".
std::string resume_text(const FleetState& fleet_state, const std::set<DeviceIndex>& drained);
void resume(const std::set<DeviceIndex>& drained, WhatIf& what_if);
/// "h1/3 usable again".
std::string repair_text(const FleetState& fleet_state, const std::set<DeviceIndex>& unusable,
                        const std::set<HostIndex>& silent);
void repair(const std::set<DeviceIndex>& unusable, const std::set<HostIndex>& silent,
            WhatIf& what_if);

}  // namespace drover::router
