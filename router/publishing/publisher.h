// What the router says about its fleet: events, changes of jobs, hosts, devices and replicas, and
// the audits of actions with their replies.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fleet/messages.h"
#include "router/fleet_state/device_conditions.h"
#include "router/fleet_state/host_counters.h"
#include "router/health/connection_table.h"
#include "router/jobs/job_table.h"
#include "router/jobs/queue.h"
#include "router/policy/policy.h"
#include "router/publishing/outbox_builder.h"

namespace drover::router {

struct PublisherDependencies {
  const Policy& policy;
  const FleetState& fleet_state;
  const DeviceConditionTable& conditions;
  const HostCounterTable& host_counts;
  const ConnectionTable& connections;
  const JobQueue& queue;
  JobTable& jobs;
  OutboxBuilder& outbox;
};

/// Publishes the current state of one thing each. It decides nothing, and changes only the outbox
/// and JobRecord::unpublished. It keeps the last events, for snapshots, and which jobs have
/// changed.
class Publisher : PublisherDependencies {
 public:
  explicit Publisher(const PublisherDependencies& uses) : PublisherDependencies(uses) {}

  void event(Instant now, Event event);
  void event(Instant now, Severity severity, std::string subject, std::string text) {
    event(now, Event{severity, std::move(subject), std::move(text)});
  }
  template <typename... Args>
  void event(Instant now, Severity severity, std::string subject,
             fmt::format_string<Args...> format, Args&&... args) {
    event(now, severity, std::move(subject), fmt::format(format, std::forward<Args>(args)...));
  }
  /// Publishes a job at once when it ends or has returned from an attempt, else with the next
  /// `publish_changed_jobs`: a job that is accepted and placed in one turn is published once, and
  /// one that starts and ends in one turn with its end.
  void publish_job(Instant now, JobRecord& record);
  void publish_changed_jobs();
  void publish_host(Instant now, HostIndex host);
  void publish_device(Instant now, DeviceKey device);
  void publish_replica(Instant now, const Replica& replica, GroupIndex group);

  /// Writes and publishes the audit with an event; returns the row's write.
  std::uint64_t record_audit(Instant now, Audit audit);
  /// The same for a refused request, of which some are only counted.
  void record_refusal(Instant now, Audit line);
  /// Records the action, and replies when that is on disk; returns the write.
  std::uint64_t reply_to_action(Instant now, const Caller& caller, const std::string& action,
                                const std::string& target, ActionReply reply);
  void refuse_action(Instant now, const Caller& caller, const std::string& action,
                     const std::string& target, std::string problem);

  JobChanged job_changed(const JobRecord& record) const;
  HostChanged host_changed(HostIndex host) const;
  DeviceChanged device_changed(DeviceKey device) const;
  /// The last ones, for late subscribers.
  const std::deque<std::pair<Instant, Event>>& events() const { return events_; }

 private:
  void publish_now(Instant now, JobRecord& record);
  void drop_old_bookmark();

  std::deque<std::pair<Instant, Event>> events_;
  std::vector<JobId> changed_jobs_;  // not yet published; some have ended since
  Instant changed_at_{};             // the last of them
};

}  // namespace drover::router
