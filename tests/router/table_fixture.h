// The router's tables and the lower of its classes, without a router: for tests of one class alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/attempts/attempts.h"
#include "router/hosts/boards.h"
#include "router/hosts/device_availability.h"
#include "router/jobs/replica_controller.h"
#include "router/lint/policy_file.h"
#include "router/publishing/rejected_messages.h"
#include "tests/router/router_fixture.h"

namespace drover::router {

struct RouterTables {
  /// The messages of this kind in the outbox so far, which also loses its other messages.
  template <typename Body>
  std::vector<Body> take() {
    std::vector<Body> found;
    for (const Send& send : outbox.take().sends) {
      if (const auto* body = std::get_if<Body>(&send.envelope.body)) found.push_back(*body);
    }
    return found;
  }
  HostIndex add_host(const std::string& name) {
    connections.speaks_for(1, name, {1, 1});
    const HostIndex host = *fleet_state.register_host(now, RouterHarness::registration(name));
    assign_pools(policy, fleet_state);
    return host;
  }
  /// A job of one device of the host, assigned to it.
  JobRecord& add_attempt(std::uint64_t number, const std::string& host) {
    JobRecord& record = jobs.add(train_job(number, 1), now);
    record.attempt = 1;
    record.state = JobState::leased;
    record.since = now;
    record.lease.members.emplace_back(host).devices = {0};
    record.lease.begun = now;
    jobs.bind(record);
    return record;
  }
  Caller caller(const std::string& host = "") {
    entry.host = host;
    return {{Channel::control, 1}, entry, ""};
  }

  Instant now = Instant{} + std::chrono::hours(1);
  RouterTiming settings;
  Policy policy = builtin_policy();
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  FleetState fleet_state;
  Estimator estimator;
  ConnectionTable connections;
  ConnectionEntry entry;
  JobTable jobs{100};
  JobQueue queue;
  FairShare tenants;
  FailbackTable failbacks;
  Accounting accounting{now};
  HostCounterTable host_counts;
  DeviceConditionTable conditions;
  BoardTable boards;
  DrainTable drains;
  PreemptionTable preemptions;
  ReplicaController replica_controller;
  SentCaps sent_caps;
  OutboxBuilder outbox{{now, settings.suspect_after}};
  Publisher publisher{
      {policy, fleet_state, conditions, host_counts, connections, queue, jobs, outbox}};
  RejectedMessages rejected{{connections, outbox, publisher}, std::chrono::minutes(1)};
  WaitingJobs waiting{{settings, policy, catalogue, jobs, queue, tenants}};
  OutlierReporting outliers{{policy, jobs, fleet_state, queue, publisher},
                            {policy.eject, RandomStream(1)}};
  ReservedDevices reserved{{policy, fleet_state, estimator, jobs, queue, preemptions, publisher}};
  JobEnds ends{{settings, policy, preemptions, fleet_state, estimator, jobs, queue, tenants,
                failbacks, accounting, outbox, publisher, outliers, reserved, waiting}};
  Attempts attempts{{settings, policy, connections, preemptions, fleet_state, jobs, tenants, drains,
                     accounting, outbox, publisher, rejected, outliers, ends}};
  DeviceAvailability availability{
      {policy, drains, fleet_state, conditions, queue, publisher, rejected}};
  Boards board_reports{{fleet_state, outbox, rejected, boards}};
};

}  // namespace drover::router
