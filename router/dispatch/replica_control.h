// Replicas started and unloaded by the router, and devices for work that waits although others hold
// or get them.
//
// Surplus replicas are unloaded. A replica that the router started stays loaded after its requests
// have ended, because loading it again would take a minute. If other work finds no devices
// meanwhile and the replica has been surplus (jobs/replica_controller.h) for `[replicas]
// yield_after`, it is unloaded long before `retire_after`; its running requests finish there. Its
// devices are reserved for the waiting job, as in preemption (preemption_control.cpp).
//
// The replicas are found by trial: a decision as if the longest surplus ones were unloaded, first
// one, then twice as many each time. Of these, only those on the job's devices are unloaded.
//
// A gang of a tenant behind its share gets devices reserved until others end
// (`reserve_fair_shares`); it takes those of surplus replicas instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/dispatch/dispatcher.h"
#include "router/jobs/replica_controller.h"

namespace drover::router {

struct ReplicaControlDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const devices::Catalogue& catalogue;
  const ConnectionTable& connections;
  const JobTable& jobs;
  const FairShare& tenants;
  const PreemptionTable& preemptions;
  const WaitingJobs& waiting;
  const JobQueue& queue;
  RandomStream& random;
  FleetState& fleet_state;
  Estimator& estimator;
  ReplicaController& replica_controller;
  Accounting& accounting;
  OutboxBuilder& outbox;
  Publisher& publisher;
  ReservedDevices& reserved;
  Dispatcher& dispatcher;
};

/// Starts replicas of models that requests wait for, and unloads unused ones.
class ReplicaControl : ReplicaControlDependencies {
 public:
  explicit ReplicaControl(const ReplicaControlDependencies& uses)
      : ReplicaControlDependencies(uses) {}

  void manage(Instant now);

  using YieldKey = std::pair<int, std::uint64_t>;  // minus priority, number

 private:
  /// Returns false if its host cannot be reached now.
  bool retire_replica(Instant now, ReplicaIndex index, std::string rule, std::string why);
  bool start_replica(Instant now, JobRecord& record);
  /// Finds devices for waiting work, at most once a heartbeat.
  void yield_replicas(Instant now);
  /// Whether work on the replica takes longer than its devices could be reserved for another job.
  bool is_long_busy(ReplicaIndex index) const;
  /// The job's placement if these replicas were unloaded.
  std::optional<Allocation> placement_without(Instant now, const JobRecord& record,
                                              const std::vector<ReplicaIndex>& unloaded);
  /// Unloads as few of these as the job's placement needs; false: unloading would not help.
  bool unload_for(Instant now, const JobRecord& record, const std::vector<ReplicaIndex>& spare);
  /// Reserves devices for a gang whose tenant's deficit exceeds what they can cost.
  void reserve_fair_shares(Instant now);
  bool reserve_devices(Instant now, const JobRecord& record, double deficit_device_s);

  SurplusReplicas surplus_replicas_;
  Instant next_yield_{};
  YieldKey last_yield_job_{};  // last one tried, if not all are tried at once
  JobId reserved_for_share_;   // gang of a tenant with a deficit; zeros: none
};

}  // namespace drover::router
