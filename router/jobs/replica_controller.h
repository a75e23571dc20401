// Replicas that the router started: how many are starting, which it may retire or can do without,
// and when a model without a placement may try again.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/queue.h"
#include "router/policy/policy.h"

namespace drover::router {

class ReplicaController {
 public:
  /// Whether one more may start for this model: the fleet's limit is not reached, none of the
  /// model is starting, and its last try is `start_after` ago.
  bool may_start(Instant now, const Replicas& limits, const std::string& model) const;
  /// Records a failed try: no placement was found, or the start failed.
  void tried(Instant now, const std::string& model) { tried_[model] = now; }
  void started(Instant now, const ReplicaId& id, const std::string& model);
  /// Processes the report of any replica; `gone` while starting counts as a failed try. A replica
  /// reported as started by a router is the router's own, even if an earlier router started it.
  void reported(Instant now, const Replica& replica);
  /// Forgets the host's replicas until it reports them again.
  void host_lost(Instant now, const std::string& host);

  bool owns(const ReplicaId& id) const { return own_.contains(id); }

 private:
  std::map<ReplicaId, std::string> starting_;
  std::set<ReplicaId> own_;
  std::map<std::string, Instant> tried_;  // by model
};

/// Requests that have waited for `start_after` for a transient reason: the oldest of each class, in
/// order of acceptance. A model may have several: if the first finds no placement, another may.
std::vector<JobRecord*> starved_requests(Instant now, const Replicas& limits,
                                         const JobQueue& queue);

/// The router's own ready replicas that have been idle for `idle_for`, longest idle first.
std::vector<ReplicaIndex> idle_replicas(Instant now, Duration idle_for,
                                        const FleetState& fleet_state,
                                        const ReplicaController& replica_controller);

/// Other replicas can take a replica's work when all of the model's work fills at most this share
/// of their batches and KV caches, so that requests stay as fast as their class requires.
inline constexpr double surplus_fill_max = 0.5;

/// Surplus replicas: replicas that the router started and can do without, because they are idle
/// or because the model's other replicas can take their work. Requests go to the least loaded
/// replica, so without this every replica that a burst started would stay a little busy, and no
/// gang would ever find devices.
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
