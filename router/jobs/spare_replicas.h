// Replicas that the router has started and could do without: idle ones, and those whose work the
// others of their model could take. As requests go to whichever replica is least loaded, the many
// that a burst has started would otherwise all stay a little busy, and no gang ever found devices.
#pragma once

#include <map>
#include <vector>

#include "fleet/base/time.h"
#include "router/jobs/replicas.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

/// Others can take a replica's work when all of the model's work fills no more than this share of
/// their batches and of their KV caches: requests that come stay as fast as their class wants.
inline constexpr double spare_fill_max = 0.5;

class SpareReplicas {
 public:
  /// To be told each heartbeat. Of a model as many are spare as can be at once. Another one counts
  /// only on a host that is well, and where every rule that names this one's pool names its pool
  /// too and takes its precision.
  void look(Instant now, const Roster& roster, const Policy& policy, const ReplicaKeeper& keeper);

  /// At the last look, for so long before it: the longest spare first.
  std::vector<ReplicaIndex> spare_for(Instant now, Duration span) const;

 private:
  std::map<ReplicaIndex, Instant> since_;
};

}  // namespace drover::router
