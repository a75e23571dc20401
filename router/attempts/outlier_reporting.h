// Places whose attempts fail: ejected for a while, then restarted slowly.
//
// A place is a replica, "host/r0", or a group of devices for gangs, "host/g0". A replica's
// ejection pool is the replicas of its model in its pool, a group's the groups of its pool;
// capacity is counted in devices.
#pragma once

#include <string>
#include <vector>

#include "router/health/outlier_detector.h"
#include "router/jobs/queue.h"
#include "router/publishing/publisher.h"

namespace drover::router {

struct OutlierReportingDependencies {
  const Policy& policy;
  const JobTable& jobs;
  FleetState& fleet_state;
  JobQueue& queue;
  Publisher& publisher;
};

/// Tells the detector how attempts ended, and FleetState which places are ejected.
class OutlierReporting : OutlierReportingDependencies {
 public:
  OutlierReporting(const OutlierReportingDependencies& uses, OutlierDetector detector)
      : OutlierReportingDependencies(uses), detector_(std::move(detector)) {}

  /// The attempt finished, or failed for this reason through this host's fault.
  void record_success(Instant now, const JobRecord& record);
  void record_failure(Instant now, const JobRecord& record, const std::string& host, Reason reason);
  /// Everything on the host is lost with it: one failure per place, whatever ran there.
  void record_host_failure(Instant now, const std::string& host);

  void add_places(Instant now, HostIndex host);
  void add_place(Instant now, ReplicaIndex index);
  void forget(const std::string& place) { detector_.forget(place); }
  /// Forgets places that FleetState has removed. Otherwise agents that report new numbers each time
  /// would fill the tables keyed by them.
  void forget_dropped_places();
  /// Another policy is in force.
  void renew(Instant now, EjectionRules rules);

  /// Applies ejections that began or ended to FleetState, and publishes them.
  void apply_changes(Instant now);
  std::vector<Ejection> in_force() const { return detector_.in_force(); }
  Instant next_deadline() const { return detector_.next_deadline(); }

 private:
  /// The place of the record's attempt: "host/r0", "host/g0"; "" if it is gone.
  std::string place_name(const JobRecord& record, const Member& member) const;
  OutlierState* outlier_state_of(const std::string& place);

  OutlierDetector detector_;
};

}  // namespace drover::router
