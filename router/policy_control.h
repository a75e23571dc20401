// A policy change at run time: sent by a client, or reread from its file by the shell.
//
// It is parsed first; with an error the old policy stays in force. Its text is written to the
// ledger before it applies, and applies again after a restart. The change falls between two
// decisions: running work continues, waiting jobs are decided again, caps set by operators stay.
#pragma once

#include <string>

#include "router/alert_evaluation.h"
#include "router/attempts/waiting_jobs.h"
#include "router/decision/failback.h"
#include "router/hosts/device_availability.h"
#include "router/jobs/accounting.h"

namespace drover::router {

struct PolicyControlDependencies {
  const RouterTiming& settings;
  const JobQueue& queue;
  /// With the limits in force: its own, or the caps that operators set. Slow start is in fleet
  /// time.
  Policy& policy;
  FleetState& fleet_state;
  FairShare& tenants;
  FailbackTable& failbacks;
  Accounting& accounting;
  OutboxBuilder& outbox;
  Publisher& publisher;
  OutlierReporting& outliers;
  WaitingJobs& waiting;
  DeviceAvailability& availability;
  PowerControl& power;
  AlertEvaluation& alerts;
};

/// Replaces the policy in force, and recomputes everything derived from it.
class PolicyControl : PolicyControlDependencies {
 public:
  /// `place`: the file of the policy in force; empty: none was given.
  PolicyControl(const PolicyControlDependencies& uses, std::string place, Instant start);

  void handle(Instant now, const Caller& caller, const ApplyPolicy& asked);
  void handle(Instant now, const Caller& caller, const PolicyRequest&) {
    outbox.send(now, caller.peer, origin_);
  }
  /// Applies the file that the shell has reread, in the name of `by`.
  void reload(Instant now, const ApplyPolicy& asked, const std::string& by);
  /// After a restart: restores the last applied policy, unless a newer one was given at the start.
  Status restore(Instant now, const PolicyReply& applied);

  PolicyChanged policy_changed() const;
  /// Publishes the policy if it or its limits have changed.
  void publish_changes(Instant now) {
    if (power.take_limits_changed()) outbox.publish(now, policy_changed());
  }

 private:
  /// Checks, writes and activates the policy; the reply gives the errors.
  ActionReply change_policy(Instant now, const ApplyPolicy& asked, const std::string& by);
  /// Activates the policy, between two decisions.
  void activate_policy(Instant now, Policy fresh, PolicyReply origin);
  void rebuild_policy_state(Instant now);

  std::string place_;
  PolicyReply origin_;  // of the policy in force
};

}  // namespace drover::router
