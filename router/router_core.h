// The tables of the router, and the classes that work on them. Each class names the tables and the
// classes it uses; all of these stand before it here, so that no two depend on each other.
#pragma once

#include <optional>
#include <string_view>

#include "router/actions.h"
#include "router/dispatch/replica_control.h"
#include "router/hosts/hosts.h"
#include "router/queries.h"
#include "router/router.h"
#include "router/submissions.h"

namespace drover::router {

/// Hands each message to the class that answers it, and ticks the classes in a fixed order.
struct RouterCore {
  RouterCore(RouterSettings router_settings, Policy router_policy,
             const devices::Catalogue& known_specs, Instant start);

  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view key);
  /// A message of the router's own shell.
  void receive_own(Instant now, const Envelope& envelope);
  void handle(Instant now, const Caller& caller, const EndRunRequest& request);
  void tick(Instant now);
  /// The part of a tick that follows once a summary is due.
  void summarize(Instant now);
  Instant next_deadline() const;
  Status restore_row(const LedgerRow& row);
  Status restored();

  RouterSettings settings;
  Policy policy;
  const devices::Catalogue& catalogue;
  RandomStream random;
  FleetState fleet_state;
  Estimator estimator;
  ConnectionTable connections;
  JobTable jobs;
  JobQueue queue;
  FairShare tenants;
  FailbackTable failbacks;
  Accounting accounting;
  DecisionLog decisions;
  HostCounterTable host_counts;
  DeviceConditionTable conditions;
  DrainTable drains;
  PreemptionTable preemptions;
  ReplicaController replica_controller;
  SentCaps sent_caps;

  OutboxBuilder outbox;
  Publisher publisher;
  RejectedMessages rejected;
  FleetTotals totals;
  WaitingJobs waiting;
  OutlierReporting outliers;
  ReservedDevices reserved;
  JobEnds ends;
  Attempts attempts;
  Dispatcher dispatcher;
  ReplicaControl replicas;
  DeviceAvailability availability;
  Hosts hosts;
  PowerControl power;
  AlertEvaluation alerts;
  PolicyControl policy_control;
  Actions actions;
  Submissions submissions;
  Queries queries;

  std::optional<ledger::Reader> reader;  // until `restored`
  Instant begun;
  Instant ticked;
  Instant next_summary;
  Instant next_wake;
};

}  // namespace drover::router
