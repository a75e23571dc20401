// What the classes of the router work on, each through references to the same tables.
#pragma once

#include "devices/catalogue/catalogue.h"
#include "fleet/base/random_stream.h"
#include "router/actions/drain_table.h"
#include "router/decision/estimate.h"
#include "router/decision/failback.h"
#include "router/explain/decision_log.h"
#include "router/health/timing.h"
#include "router/jobs/accounting.h"
#include "router/jobs/preemption_table.h"
#include "router/jobs/queue.h"
#include "router/jobs/replica_controller.h"
#include "router/publishing/publisher.h"

namespace drover::router {

struct RouterTables {
  const RouterTiming& settings;
  /// With the limits in force: its own, or the caps that operators set. Slow start is in fleet
  /// time.
  Policy& policy;
  const devices::Catalogue& catalogue;
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
  HostCounterTable& host_counts;
  DeviceConditionTable& conditions;
  DrainTable& drains;
  PreemptionTable& preemptions;
  ReplicaController& replica_controller;
  SentCaps& sent_caps;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

}  // namespace drover::router
