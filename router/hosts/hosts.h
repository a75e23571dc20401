// The hosts of the fleet: how each joins, reports, falls silent, returns, leaves and is forgotten.
#pragma once

#include <string>
#include <vector>

#include "router/attempts/attempts.h"
#include "router/health/failure_detector.h"
#include "router/hosts/boards.h"
#include "router/hosts/device_availability.h"
#include "router/jobs/replica_controller.h"

namespace drover::router {

struct HostsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  FleetState& fleet_state;
  Estimator& estimator;
  ConnectionTable& connections;
  JobTable& jobs;
  JobQueue& queue;
  FairShare& tenants;
  Accounting& accounting;
  HostCounterTable& host_counts;
  DeviceConditionTable& conditions;
  ReplicaController& replica_controller;
  SentCaps& sent_caps;
  OutboxBuilder& outbox;
  Publisher& publisher;
  RejectedMessages& rejected;
  OutlierReporting& outliers;
  ReservedDevices& reserved;
  Attempts& attempts;
  DeviceAvailability& availability;
  Boards& board_reports;
};

/// Keeps FleetState and the other tables true to what agents send, and ends what was on a host that
/// is gone.
class Hosts : HostsDependencies {
 public:
  /// `welcome`: the answer to every Join but for its time.
  Hosts(const HostsDependencies& uses, JoinAccepted welcome, Instant start);

  void handle(Instant now, const Caller& caller, const Join& join);
  void handle(Instant now, const Caller& caller, const Register& registration);
  void handle(Instant now, const Caller& caller, const Heartbeat& heartbeat);
  void handle(Instant now, const Caller& caller, const ReplicaReport& report);
  /// The host shuts down gracefully: it gets no more work, and is gone once it has returned what it
  /// had.
  void handle(Instant now, const Caller& caller, const Leave& leave);
  void handle(Instant now, const Caller& caller, const ForgetHost& asked);
  /// A host that its agent reads remotely does not answer: it is lost until it registers again.
  void handle(Instant now, const Caller& caller, const HostUnreachable& report);
  void apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch);
  /// A message of an agent. Returns false if the agent must register first; it is asked to.
  bool record_contact(Instant now, const Caller& caller);

  /// Finds hosts that are silent. Returns false if the router itself was stalled: then nothing was
  /// evaluated.
  bool sweep(Instant now);
  Instant next_sweep() const { return failure_detector_.next_sweep(); }
  /// Forgets hosts that left long ago.
  void forget_left(Instant now);

 private:
  /// Takes over what a registered host has: its faults, replicas and attempts, in this order, as
  /// attempts run on replicas. `before`: its replicas until now; `same_line`: it registered on this
  /// connection before; `restarted`: it is a new incarnation.
  void take_held(Instant now, const Caller& caller, HostIndex host, const Register& registration,
                 const std::vector<ReplicaEntry>& before, bool same_line, bool restarted);
  void supersede_others(Instant now, const Caller& caller, const Register& registration);
  /// Forgets what was computed from groups and specs that have changed.
  void forget_estimates();
  /// Publishes the replicas that its Register no longer names.
  void publish_gone(Instant now, HostIndex host, const std::vector<ReplicaEntry>& before);
  void record_contact(Instant now, HostIndex host);
  void set_health(Instant now, HostIndex host, Health health, const std::string& why);
  /// The host is lost or has left: requeues its work. `what` happened, for the event.
  void lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                 const std::string& what);
  /// Removes the host from the fleet. Orders about its name stay: drains, the ledger. REQUIRES
  /// that it is lost or has left.
  void forget_host(Instant now, HostIndex host, const std::string& why);
  /// Forgets places and hosts that FleetState has removed. Otherwise agents that report new numbers
  /// and names each time would fill the tables keyed by them.
  void forget_dropped();

  JoinAccepted welcome_;
  FailureDetector failure_detector_;
};

}  // namespace drover::router
