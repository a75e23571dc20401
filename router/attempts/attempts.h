// The attempts of jobs on hosts, from the agent's first answer to the end of each member.
//
// A member is one host's part of an attempt. An attempt on a replica and a gang inside one group
// have one; a multi-host gang has several, and runs on all or none. Its devices are reserved on
// every host at once, in FleetState and then by each agent. When all members have accepted and
// reported their step times, the first GangStepTime starts them. Before that, a host that refuses
// or does not answer in time rolls back the others; afterwards the loss of a member ends the
// attempt for all. The attempt is over when every member has ended, and is counted once, with the
// usage of all.
//
// An attempt is current when the ledger's last lease of its job names it and its host. A result of
// any other attempt is late: it is stored as `stale`, acknowledged, and never charged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "router/actions/drain_table.h"
#include "router/attempts/job_ends.h"
#include "router/publishing/rejected_messages.h"

namespace drover::router {

struct AttemptsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const ConnectionTable& connections;
  const PreemptionTable& preemptions;
  FleetState& fleet_state;
  JobTable& jobs;
  FairShare& tenants;
  DrainTable& drains;
  Accounting& accounting;
  OutboxBuilder& outbox;
  Publisher& publisher;
  RejectedMessages& rejected;
  OutlierReporting& outliers;
  JobEnds& ends;
};

/// Follows each attempt by its agents' reports, and cancels it when it must end. An attempt ends
/// only when its agent reports it, or its host is lost: until then it runs, and its result may be
/// on the way. The Cancel is repeated each heartbeat, because any message may be lost.
class Attempts : AttemptsDependencies {
 public:
  explicit Attempts(const AttemptsDependencies& uses) : AttemptsDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const Accepted& accepted);
  void handle(Instant now, const Caller& caller, const MemberStepTime& step_time);
  void handle(Instant now, const Caller& caller, const Progress& progress);
  void handle(Instant now, const Caller& caller, const Refused& refusal);
  void handle(Instant now, const Caller& caller, const Finished& finished);
  void handle(Instant now, const Caller& caller, const Failed& failed);

  /// Compares the host's Register with the job table: attempts that it still holds continue;
  /// others are requeued or cancelled. Work assigned on this connection after the Register was
  /// requested (`asked_at`; Instant{}: another connection, or not known) is kept; the rest is
  /// lost.
  void reconcile(Instant now, const Caller& caller, const Register& registration, Instant asked_at);
  /// Ends the attempts of a host that is lost or has left. `what` happened to it, and until when
  /// they ran.
  void lose_host(Instant now, const Register& host, const std::string& what, Instant last_contact);

  /// The ledger has attempts whose hosts must return until then. `extend_wait`: the router was
  /// stalled.
  void await_hosts(Instant until) { hosts_awaited_until_ = until; }
  void extend_wait(Instant until) {
    if (hosts_awaited_until_) hosts_awaited_until_ = std::max(*hosts_awaited_until_, until);
  }
  /// Ends attempts whose hosts did not return in time after a restart, and those that their host
  /// has never acknowledged.
  void end_unanswered(Instant now);

  /// Sends Cancel to every member of each, which a client has cancelled, after this write.
  void cancel(Instant now, const std::vector<JobRecord*>& records, std::uint64_t after_write);
  /// Sends Cancel for each attempt that must end, again each heartbeat while there are any.
  void cancel_due(Instant now);
  void check_cancels_at(Instant at) { next_cancel_ = std::min(next_cancel_, at); }
  Instant next_cancel() const { return next_cancel_; }
  /// Cancels and fails every open job.
  void end_run(Instant now);

 private:
  /// The record if this is its current attempt, on this host; else null.
  JobRecord* current(const std::string& host, const JobId& job, std::uint32_t attempt);
  /// The same; else sends the host a Cancel for what it runs, and returns null.
  JobRecord* current_or_cancel(Instant now, const Caller& caller, const JobId& job,
                               std::uint32_t attempt);
  void member_accepted(Instant now, JobRecord& record, Member& member);
  void mark_running(Instant now, JobRecord& record);
  /// Updates how long its devices stay busy, from its agent's last report.
  void update_busy_until(Instant now, const JobRecord& record);
  /// Clamps implausible figures, and sets the price.
  template <typename End>
  End checked(Instant now, const JobRecord& record, const std::string& host, End end);
  Usage priced_usage(const JobRecord& record, const std::string& host, Usage usage) const;
  /// `counts`: it is a late result if the attempt is not current.
  template <typename End>
  void take_end(Instant now, const Caller& caller, const End& end, bool counts);
  template <typename End>
  void store_late(Instant now, const Caller& caller, const End& end, bool counts);

  /// Sends to the member's host, if it is connected and the member has not ended.
  void send_to_member(Instant now, const Member& member, Message said,
                      std::uint64_t after_write = 0);
  void cancel_attempt(Instant now, const JobRecord& record, Reason reason,
                      std::uint64_t after_write = 0);
  /// Ends one member; a failure cancels the others. Does nothing if the member had ended before.
  void end_member(Instant now, JobRecord& record, const std::string& host, Failed failed);
  void end_member(Instant now, JobRecord& record, const std::string& host,
                  const Finished& finished);
  /// The host has lost its part of the attempt, which ran until then.
  void lose_member(Instant now, JobRecord& record, const Register& host, std::string detail,
                   Instant until);
  /// Ends members for which `why(member)` gives a reason; `host_lost(member)`: not the job's fault.
  template <typename Why, typename Lost>
  void end_members(Instant now, JobRecord& record, Why why, Lost host_lost);
  /// Ends the attempt once every member has ended, and sends them ResultStored.
  void end_attempt(Instant now, JobRecord& record);
  void expire_restored_leases(Instant now);
  void cancel_unacknowledged(Instant now);
  /// Why the attempt must end, if it must.
  std::optional<Reason> cancel_reason(Instant now, const JobRecord& record) const;
  bool is_drained(Instant now, const JobRecord& record, const Member& member) const;

  Instant next_cancel_ = never;                 // `never`: none must end
  std::optional<Instant> hosts_awaited_until_;  // after a restart: end of leases without a host
};

}  // namespace drover::router
