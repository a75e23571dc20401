// Surplus replicas: replicas that the router started and can do without, because they are idle
// or because the model's other replicas can take their work. Requests go to the least loaded
// replica, so without this every replica that a burst started would stay a little busy, and no
// gang would ever find devices.
#pragma once

#include <map>
#include <vector>

#include "fleet/base/time.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/replica_controller.h"
#include "router/policy/policy.h"

namespace drover::router {

/// Other replicas can take a replica's work when all of the model's work fills at most this share
/// of their batches and KV caches, so that requests stay as fast as their class requires.
inline constexpr double surplus_fill_max = 0.5;

class SurplusReplicas {
 public:
  /// Called each heartbeat. Idle replicas are surplus. So are busy ones, as many at once as the
  /// model's other replicas can stand in for. Another replica can stand in only if its host is
  /// healthy and every rule that names the surplus replica's pool also names its pool and accepts
  /// its precision.
  void update(Instant now, const FleetState& fleet_state, const Policy& policy,
              const ReplicaController& replica_controller);

  /// Replicas that have been surplus for `span` as of the last update, longest first.
  std::vector<ReplicaIndex> surplus_for(Instant now, Duration span) const;

 private:
  std::map<ReplicaIndex, Instant> since_;
};

}  // namespace drover::router
