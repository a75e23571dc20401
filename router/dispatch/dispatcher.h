// From the queue through a decision to a lease.
//
// Preemption: a job that would wait for capacity, and whose rule has `preempt`, chooses its victims
// (jobs/victim_selection.h). They receive nothing at first: they may finish or write a checkpoint,
// and are cancelled after that or when the grace is over. From the start their devices are
// reserved for the waiting job (attempts/reserved_devices.h). Victims that are not cancelled when
// the reservation ends stay.
#pragma once

#include <string>
#include <vector>

#include "fleet/base/random_stream.h"
#include "router/attempts/attempts.h"
#include "router/explain/decision_log.h"
#include "router/jobs/victim_selection.h"

namespace drover::router {

struct DispatcherDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const devices::Catalogue& catalogue;
  const PreemptionTable& preemptions;
  RandomStream& random;
  FleetState& fleet_state;
  Estimator& estimator;
  ConnectionTable& connections;
  JobTable& jobs;
  JobQueue& queue;
  FairShare& tenants;
  FailbackTable& failbacks;
  Accounting& accounting;
  DecisionLog& decisions;
  OutboxBuilder& outbox;
  Publisher& publisher;
  ReservedDevices& reserved;
  WaitingJobs& waiting;
  JobEnds& ends;
  Attempts& attempts;
};

/// Decides the jobs of the queue one after the other: each gets a lease, waits, or fails.
class Dispatcher : DispatcherDependencies {
 public:
  Dispatcher(const DispatcherDependencies& uses, Instant start)
      : DispatcherDependencies(uses), begun_(start) {}

  void dispatch(Instant now);
  /// Whether there are jobs that the last `dispatch` left out, or that came after it.
  bool has_more() const { return has_more_; }
  void expect_more() { has_more_ = true; }

  /// What decisions about a job depend on, besides fleet and policy.
  PlacementRequest ask_for(const JobRecord& record, const devices::ModelSpec& model) const;
  /// The decision of a job that waits for the retry budget, with this text; no candidate was
  /// evaluated.
  Decision held_decision(Instant now, const JobRecord& record, std::string words) const;
  /// Records and publishes the decision with all its candidates.
  void record_decision(Instant now, JobRecord* record, Decision decision);
  /// The model's spec text; empty if it was sent on this connection before.
  std::string spec_text_for(std::uint64_t peer, const std::string& model);

 private:
  void decide_one(Instant now, JobRecord& record);
  /// Makes the job wait for the retry budget.
  void wait_for_retry_budget(Instant now, JobRecord& record, Instant until);
  /// Fails a job that no device of the fleet can ever run, once hosts have had time to join.
  bool fail_impossible(Instant now, JobRecord& record, PlacementResult& result);
  void lease(Instant now, JobRecord& record, PlacementResult& result);
  void assign(Instant now, const JobRecord& record, const Member& member, const Allocation& place,
              std::uint64_t write);
  /// Updates the failback state of the job's rule.
  void update_failback(Instant now, JobRecord& record, const PlacementResult& result);

  // preemption_control.cpp
  /// Whether gangs are preempted for a job that would wait, just decided; the decision names them.
  bool preempt_for(Instant now, JobRecord& record, PlacementResult& result);
  /// The gangs on the groups' hosts that may be preempted for it.
  std::vector<PreemptionVictim> preemption_victims(Instant now, const JobRecord& record,
                                                   const Preempt& preempt,
                                                   const std::vector<GroupSet>& places) const;
  /// All devices of the attempt on known hosts.
  std::vector<DeviceIndex> devices_of(const JobRecord& record) const;
  void begin_preemption(Instant now, const JobRecord& record, const PreemptionPlan& plan,
                        Duration grace, Decision& decision);

  Instant begun_;
  bool has_more_ = false;
};

/// The text of a wait for the retry budget.
std::string retry_wait_text(Instant until);

}  // namespace drover::router
