// Replicas that the router started by itself: how many are starting, which are its own to retire,
// and when a model that found no place may ask again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/jobs/queue.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

class ReplicaKeeper {
 public:
  /// One more may start for this model: the fleet's limit is not reached, none of the model is
  /// starting, and its last try is `start_after` ago.
  bool may_start(Instant now, const Replicas& limits, const std::string& model) const;
  /// No place was found, or the start failed.
  void tried(Instant now, const std::string& model);
  void started(Instant now, const ReplicaId& id, const std::string& model);
  /// A report of any replica; `gone` while starting counts as a failed try. One that its host says
  /// was asked for is the router's own, also when an earlier life of the router asked.
  void reported(Instant now, const Replica& replica);
  /// The host's replicas are forgotten until it reports them again.
  void host_lost(Instant now, const std::string& host);

  bool owns(const ReplicaId& id) const { return own_.contains(id); }
  std::size_t starting() const { return starting_.size(); }

 private:
  std::map<ReplicaId, std::string> starting_;
  std::set<ReplicaId> own_;
  std::map<std::string, Instant> tried_;  // by model
};

/// Requests that wait for something that may pass, when they have waited for `start_after`: the
/// oldest of each class, in order of acceptance. Of one model there may be several: where the first
/// one has no place, another one may.
std::vector<JobRecord*> starved_requests(Instant now, const Replicas& limits,
                                         const JobQueue& queue);

/// Ready replicas of the router's own that have served nothing for so long, the longest idle first.
std::vector<ReplicaIndex> idle_replicas(Instant now, Duration idle_for, const Roster& roster,
                                        const ReplicaKeeper& keeper);

}  // namespace drover::router
