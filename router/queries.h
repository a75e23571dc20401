// What dashboards and clients ask for: snapshots for late subscribers, lists of jobs, and
// explanations: why a job was placed where it was, why it waits, what would be decided now, and
// what would place it. A query changes nothing: a replayed journal gives the same results with or
// without it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "router/actions.h"
#include "router/dispatch/dispatcher.h"
#include "router/explain/explain.h"
#include "router/policy_control.h"
#include "router/publishing/fleet_totals.h"

namespace drover::router {

struct QueriesDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const JobTable& jobs;
  const DeviceConditionTable& conditions;
  const DecisionLog& decisions;
  const Accounting& accounting;
  const Publisher& publisher;
  const FleetTotals& totals;
  const PolicyControl& policy_control;
  const AlertEvaluation& alerts;
  const Actions& actions;
  const devices::Catalogue& catalogue;
  const RandomStream& random;
  const PreemptionTable& preemptions;
  const WaitingJobs& waiting;
  const Dispatcher& dispatcher;
  FleetState& fleet_state;  // changed for each trial of a decision, and restored
  Estimator& estimator;
  ReservedDevices& reserved;
  const BoardTable& boards;
  OutboxBuilder& outbox;
};

/// Reads what it is asked for, and keeps nothing but the number of the last snapshot. For each
/// trial of a decision FleetState is changed, and restored.
class Queries : QueriesDependencies {
 public:
  explicit Queries(const QueriesDependencies& uses) : QueriesDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const SnapshotRequest& request);
  void handle(Instant now, const Caller& caller, const JobsRequest& request);
  void handle(Instant now, const Caller& caller, const WhyRequest& request) {
    outbox.send(now, caller.peer, why(now, request.job_prefix));
  }
  WhyReply why(Instant now, const std::string& job_prefix);

 private:
  std::vector<std::string> snapshot_messages(Instant now) const;
  JobsReply listed(const JobsRequest& request) const;
  /// The candidates of its last decision; for a waiting job, as they are now.
  void explain(Instant now, const JobRecord& record, WhyReply& reply);
  /// For a waiting job: the decision as it would be now, if it differs, and what would let the job
  /// run.
  void explain_wait(Instant now, const JobRecord& record, WhyReply& reply);
  /// Devices reserved for jobs, and when this job will have waited too long.
  WaitState wait_of(const JobRecord& record, const PlacementResult& result) const;

  std::uint64_t snapshots_ = 0;
};

}  // namespace drover::router
