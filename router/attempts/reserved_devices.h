// Devices kept for a waiting job until they are all free: by preemption, by unloading replicas, or
// for a tenant that is behind its share. No other job gets one that becomes free.
#pragma once

#include <string_view>

#include "router/decision/decide.h"
#include "router/publishing/router_tables.h"

namespace drover::router {

/// Keeps the devices of the PreemptionTable reserved in FleetState. A reservation ends when its job
/// is placed anywhere, when it ends, when a host is lost, or when its time is over.
class ReservedDevices : RouterTables {
 public:
  explicit ReservedDevices(const RouterTables& tables) : RouterTables(tables) {}

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
