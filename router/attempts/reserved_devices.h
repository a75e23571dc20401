// Devices kept for a waiting job until they are all free: by preemption, by unloading replicas, or
// for a tenant that is behind its share. No other job gets one that becomes free.
#pragma once

#include <string_view>

#include "router/decision/decide.h"
#include "router/jobs/preemption_table.h"
#include "router/jobs/queue.h"
#include "router/publishing/publisher.h"

namespace drover::router {

struct ReservedDevicesDependencies {
  const Policy& policy;
  FleetState& fleet_state;
  Estimator& estimator;
  JobTable& jobs;
  JobQueue& queue;
  PreemptionTable& preemptions;
  Publisher& publisher;
};

/// Keeps the devices of the PreemptionTable reserved in FleetState. A reservation ends when its job
/// is placed anywhere, when it ends, when a host is lost, or when its time is over.
class ReservedDevices : ReservedDevicesDependencies {
 public:
  explicit ReservedDevices(const ReservedDevicesDependencies& uses)
      : ReservedDevicesDependencies(uses) {}

  const Preemption& begin(Preemption preemption);
  /// Releases the devices reserved for the job. `why`: reported; empty: the job was placed.
  void end(Instant now, const JobId& job, std::string_view why);
  /// Ends reservations whose time is over, or whose host is lost.
  void expire(Instant now);
  void set_reserved(const Preemption& preemption, bool reserved);
  /// A decision in which the devices reserved for the job count as free.
  PlacementResult decide(Instant now, const JobRecord& record, const PlacementRequest& request,
                         RandomStream& with);
};

}  // namespace drover::router
