// The router core's state and its methods. Comments name the file that defines each group of
// methods; only these files include this header.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/random_stream.h"
#include "router/actions/drain_table.h"
#include "router/actions/injection.h"
#include "router/actions/power_cap_overrides.h"
#include "router/alerts/alert_rule_evaluator.h"
#include "router/alerts/alerts.h"
#include "router/decision/decide.h"
#include "router/decision/estimate.h"
#include "router/decision/failback.h"
#include "router/explain/decision_log.h"
#include "router/explain/explain.h"
#include "router/fleet_state/device_conditions.h"
#include "router/fleet_state/fleet_state.h"
#include "router/fleet_state/host_counters.h"
#include "router/health/connection_table.h"
#include "router/health/failure_detector.h"
#include "router/health/outlier_detector.h"
#include "router/health/retry_budget.h"
#include "router/jobs/accounting.h"
#include "router/jobs/fair_share.h"
#include "router/jobs/job_table.h"
#include "router/jobs/preemption_table.h"
#include "router/jobs/queue.h"
#include "router/jobs/replica_controller.h"
#include "router/jobs/victim_selection.h"
#include "router/ledger/ledger.h"
#include "router/publishing/fleet_totals.h"
#include "router/router.h"

namespace drover::router {

/// Unknown model names per tick for which the nearest known one is searched. Each takes up to half
/// a millisecond; the others get no suggestion.
inline constexpr std::uint32_t suggestions_per_tick = 8;

struct RouterCore {
  RouterCore(RouterSettings router_settings, Policy router_policy,
             const devices::Catalogue& known_specs, Instant start);

  // router.cpp
  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view key);
  void tick(Instant now);
  Instant next_deadline() const;
  Status restore_row(const LedgerRow& row);
  Status restored();
  void expire(Instant now);
  void end_back_offs(Instant now);

  // host_registration.cpp
  void handle(Instant now, Caller caller, const Join& join);
  void handle(Instant now, Caller caller, const Register& registration);
  void request_register(Instant now, Caller caller);
  void handle(Instant now, Caller caller, const Heartbeat& heartbeat);
  void apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch);
  void handle(Instant now, Caller caller, const ReplicaReport& report);
  /// Compares the host's Register with the job table: attempts that it still holds continue;
  /// others are requeued or cancelled. Work assigned on this connection after the Register was
  /// requested (`asked_at`; Instant{}: another connection, or not known) is kept; the rest is
  /// lost.
  void reconcile(Instant now, Caller caller, const Register& registration, Instant asked_at);
  void supersede_others(Instant now, Caller caller, const Register& registration);
  void set_health(Instant now, HostIndex host, Health health, const std::string& why);
  /// The host is lost or has left: requeues its work. `what` happened, for the event.
  void lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                 const std::string& what);
  void sweep(Instant now);
  /// Ends leases from before a restart whose hosts did not return in time.
  void expire_restored_leases(Instant now);
  /// Ends members for which `why(member)` gives a reason; `host_lost(member)`: not the job's fault.
  template <typename Why, typename Lost>
  void end_members(Instant now, JobRecord& record, Why why, Lost host_lost);
  /// Cancels assignments that their host has never acknowledged.
  void cancel_unacknowledged(Instant now);

  // host_departure.cpp
  /// The host shuts down gracefully: it gets no more work, and is gone once it has returned what it
  /// had.
  void handle(Instant now, Caller caller, const Leave& leave);
  void set_leaving(Instant now, HostIndex host, bool leaving);
  void handle(Instant now, Caller caller, const ForgetHost& asked);
  /// Removes the host from the fleet. Orders about its name stay: drains, the ledger. REQUIRES
  /// that it is lost or has left.
  void forget_host(Instant now, HostIndex host, const std::string& why);
  /// Forgets hosts that left long ago.
  void forget_left(Instant now);

  // dispatch.cpp
  void dispatch(Instant now);
  void decide_one(Instant now, JobRecord& record);
  void lease(Instant now, JobRecord& record, PlacementResult& result);
  /// Reserves in FleetState what the record's lease describes, counted at once. Only times and
  /// watts of `place` are used: the extra watts of each device of a gang; for a replica, its power
  /// above context-idle power.
  void make_reservation(Instant now, JobRecord& record, const Allocation& place);
  /// Returns the group of the first member's devices.
  GroupIndex reserve_gang(Instant now, const JobRecord& record, Instant busy_until,
                          double watts_each);
  void assign(Instant now, const JobRecord& record, const Member& member, const Allocation& place,
              std::uint64_t write);
  /// Updates the failback state of the job's rule.
  void update_failback(Instant now, JobRecord& record, const PlacementResult& result);
  /// Records the decision with all its candidates.
  void record_decision(Instant now, JobRecord* record, Decision decision);
  /// Adds the job to the waiting ones, or removes it; `dequeue` does nothing if it did not wait.
  void enqueue(JobRecord& record);
  void dequeue(JobRecord& record);
  /// When the retry budget allows the job: `now`, or later.
  Instant retry_allowed_at(Instant now, const JobRecord& record);
  /// Makes the job wait for the retry budget.
  void wait_for_retry_budget(Instant now, JobRecord& record, Instant until);
  /// The text of that wait.
  std::string retry_wait_text(Instant until) const;
  /// Fails a job that no device of the fleet can ever run, once hosts have had time to join.
  bool fail_impossible(Instant now, JobRecord& record, PlacementResult& result);
  PlacementRequest ask_for(const JobRecord& record, const devices::ModelSpec& model) const;
  /// The model's spec text; empty if it was sent on this connection before.
  std::string spec_text_for(std::uint64_t peer, const std::string& model);

  // gang_members.cpp
  /// The member has accepted the attempt.
  void member_accepted(Instant now, JobRecord& record, Member& member);
  void handle(Instant now, Caller caller, const MemberStepTime& step_time);
  /// Sends to the member's host, if it is connected and the member has not ended.
  void send_to_member(Instant now, const Member& member, Message said,
                      std::uint64_t after_write = 0);
  /// Sends Cancel to every member that has not ended.
  void cancel_attempt(Instant now, const JobRecord& record, Reason reason,
                      std::uint64_t after_write = 0);
  /// Ends one member; a failure cancels the others. Returns the write that ended the attempt, 0
  /// while others still run. Does nothing if the member had ended before.
  std::uint64_t end_member(Instant now, JobRecord& record, const std::string& host, Failed failed);
  std::uint64_t end_member(Instant now, JobRecord& record, const std::string& host,
                           const Finished& finished);
  /// Ends the attempt once every member has ended, and sends them ResultStored.
  std::uint64_t end_attempt(Instant now, JobRecord& record);

  // attempt_results.cpp
  void handle(Instant now, Caller caller, const Accepted& accepted);
  void handle(Instant now, Caller caller, const Progress& progress);
  void handle(Instant now, Caller caller, const Refused& refusal);
  void handle(Instant now, Caller caller, const Finished& finished);
  void handle(Instant now, Caller caller, const Failed& failed);
  template <typename End>
  void store_late(Instant now, Caller caller, const End& end, bool counts);
  /// The record if this is its current attempt, on this host; else null.
  JobRecord* current(const std::string& host, const JobId& job, std::uint32_t attempt);
  void mark_running(Instant now, JobRecord& record);
  /// Updates how long its devices stay busy, from its agent's last report.
  void update_busy_until(Instant now, const JobRecord& record);
  Usage priced_usage(const JobRecord& record, const std::string& host, Usage usage) const;
  /// Every member has finished. Returns the write.
  std::uint64_t finish(Instant now, JobRecord& record, const Finished& finished);
  /// Releases the attempt's reservation in FleetState.
  void release_reservation(JobRecord& record);
  /// The attempt is over: releases its reservation and its hosts, and wakes waiting jobs.
  void release(JobRecord& record, bool finished = false);
  /// The attempt failed: requeues the job, or fails it after the last attempt. Returns the write.
  std::uint64_t requeue(Instant now, JobRecord& record, Failed failed);
  /// Fails the job for good. Returns the write.
  std::uint64_t fail(Instant now, JobRecord& record, Failed failed);
  std::uint64_t fail(Instant now, JobRecord& record, Reason reason, std::string detail);
  /// When the failed attempt may be repeated in the same place.
  Instant retry_time(Instant now, std::uint32_t attempts) const;
  void close_job(Instant now, JobRecord& record, JobState state, std::uint64_t write);

  // outlier_reporting.cpp
  /// The place of the record's attempt: "host/r0", "host/g0"; "" if it is gone.
  std::string place_name(const JobRecord& record, const Member& member) const;
  /// The attempt finished there, or failed for this reason through this host's fault.
  void record_success(Instant now, const JobRecord& record);
  void record_failure(Instant now, const JobRecord& record, const std::string& host, Reason reason);
  /// Everything on the host is lost with it: one failure per place, whatever ran there.
  void record_host_failure(Instant now, const std::string& host);
  void add_outlier_places(Instant now, HostIndex host);
  void add_outlier_place(Instant now, ReplicaIndex index);
  OutlierState* outlier_state_of(const std::string& place);
  void forget_dropped();
  /// Applies ejections that began or ended to FleetState, and publishes them.
  void apply_ejection_changes(Instant now);

  // replica_control.cpp
  void manage_replicas(Instant now);
  bool start_replica(Instant now, JobRecord& record);
  /// Returns false if its host cannot be reached now.
  bool retire_replica(Instant now, ReplicaIndex index, std::string rule, std::string why);

  // job_listing.cpp
  void handle(Instant now, Caller caller, const JobsRequest& request);
  JobsReply listed(const JobsRequest& request) const;

  // requests.cpp
  void handle(Instant now, Caller caller, const Submit& submit);
  SubmitResult submit_one(Instant now, const Job& job, std::uint64_t& after_write);
  /// Sets the job's class and rule by the policy in force.
  void set_job_class(JobRecord& record) const;
  SubmitResult refuse(const Job& job, Reason reason, std::string detail);
  void handle(Instant now, Caller caller, const SnapshotRequest& request);
  void handle(Instant now, Caller caller, const EndRunRequest&);
  /// The one job whose id begins with these digits; an error if there is none, or several.
  Result<JobRecord*> find_job_by_prefix(const std::string& prefix);
  std::vector<std::string> snapshot_messages(Instant now) const;

  // why_requests.cpp
  void handle(Instant now, Caller caller, const WhyRequest& request);
  /// Changes nothing that a later turn can see.
  WhyReply why(Instant now, const std::string& job_prefix);
  /// The candidates of its last decision; for a waiting job, as they are now.
  void explain(Instant now, const JobRecord& record, WhyReply& reply);
  /// For a waiting job: the decision as it would be now, if it differs, and what would let the job
  /// run.
  void explain_wait(Instant now, const JobRecord& record, WhyReply& reply);
  /// The decision of a job that waits for the retry budget, with this text; no candidate was
  /// evaluated.
  Decision held_decision(Instant now, const JobRecord& record, std::string words) const;
  /// Devices reserved for jobs, and when this job will have waited too long.
  WaitState wait_of(const JobRecord& record, const PlacementResult& result) const;

  // actions.cpp
  void handle(Instant now, Caller caller, const InjectFault& inject);
  void handle(Instant now, Caller caller, const SetPowerCap& cap);
  void apply_fault(Instant now, const FaultTarget& reached, const Fault& fault,
                   std::uint64_t after_write);
  void change_limits();
  /// Ends faults and caps whose time is over.
  void end_actions(Instant now);
  void handle(Instant now, Caller caller, const DeviceReport& report);
  void handle(Instant now, Caller caller, const Caption& said);
  /// Ends the caption when its connection is dropped.
  void end_caption(Instant now);
  void replace_reported_faults(Instant now, HostIndex host, const Register& registration,
                               Instant asked_at);
  /// Forgets the conditions of the host's devices: it is lost, or a new incarnation runs.
  void forget_conditions(Instant now, HostIndex host, bool in_force = false);
  /// Applies a change of the device's condition to FleetState, and publishes it.
  void update_device(Instant now, DeviceKey device);
  /// Discards samples of unusable devices that were in flight when their agent reported them.
  void discard_stale_readings(Instant now);
  PolicyChanged policy_changed() const;
  std::uint64_t policy_number() const { return static_cast<std::uint64_t>(policy.version); }

  // drain_requests.cpp
  void handle(Instant now, Caller caller, const SetDrain& asked);
  /// In order of host names.
  std::vector<DeviceKey> devices_of(const Target& target) const;
  /// Applies the drain orders to each device, and publishes the changes.
  void reapply_drains(Instant now);
  void reapply_drains(Instant now, HostIndex host);
  /// Why the attempt must end, if it must.
  std::optional<Reason> cancel_reason(Instant now, const JobRecord& record) const;
  /// Number of jobs with an attempt on any of these.
  std::size_t running_on(const std::vector<DeviceKey>& devices) const;
  bool is_drained(Instant now, const JobRecord& record, const Member& member) const;
  /// Sends Cancel for each attempt that must end, again each heartbeat while there are any.
  void cancel_due_attempts(Instant now);

  // cancellation.cpp
  void handle(Instant now, Caller caller, const CancelJobs& asked);
  /// Adds the job to `out` if it runs and was not cancelled before.
  CancelResult cancel(Instant now, const std::string& text, const std::string& why,
                      std::vector<JobRecord*>& out);
  /// The result for a job without details, or for an unknown one.
  CancelResult forgotten_end(const std::string& text, const std::string& problem) const;
  void cancel_running_attempts(Instant now, const std::vector<JobRecord*>& out);

  // power_cap_enforcement.cpp
  /// A power cap in force on the site or on this pool.
  struct CapLimit {
    std::string subject;
    std::optional<std::uint32_t> pool;
    double cap_w = 0;
    bool admission_only = false;
  };
  std::vector<CapLimit> cap_limits() const;
  /// The cap on this target, if any.
  std::optional<CapLimit> cap_limit(const std::string& subject) const;
  /// Lowers device caps at once where power is above a cap; raises them where there is headroom
  /// again, or no cap any more.
  void enforce_caps(Instant now);
  void raise_caps(Instant now, const std::vector<CapLimit>& limits);
  void restore_caps(Instant now, const std::vector<CapLimit>& limits);
  /// Time after a cap was set or exceeded by which samples show that it is met.
  Duration caps_met_within(const std::optional<std::uint32_t>& pool) const;
  /// Adds conditions for caps that should be met but are not.
  void add_unmet_cap_conditions(Instant now, std::vector<AlertCondition>& seen) const;
  /// Text of the cap's effect, before anything was done for it.
  std::string cap_effect_text(Instant now, const SetPowerCap& cap, bool was_set) const;
  /// Text of what still limits this target once its cap is gone.
  std::string remaining_cap_text(const std::string& subject, bool was_set) const;
  /// Why the cap must be confirmed first; empty: no confirmation needed.
  std::string cap_confirmation_text(const SetPowerCap& cap,
                                    const std::optional<std::uint32_t>& pool) const;
  /// The device's cap: the one sent to it recently, else the sampled one.
  double cap_in_force(Instant now, DeviceIndex device) const;

  // power_controller.cpp
  /// Lowers device caps where a power cap is near or work waits for power; else raises them.
  void adjust_power_caps(Instant now);
  /// Power of the pool or the site, and its reachable devices. `required_w`: watts that jobs
  /// waiting for power would add.
  CappedGroup limit_of(Instant now, std::optional<std::uint32_t> pool, double cap_w,
                       const std::vector<double>& required_w) const;
  /// Watts that each job waiting for power would add, as far as it was decided.
  std::vector<double> required_watts() const;
  void cap_devices(Instant now, const std::string& subject, const std::vector<CapStep>& steps,
                   bool down);

  // preemption_control.cpp
  /// A decision in which the devices reserved for the job count as free.
  PlacementResult decide_with_reservation(Instant now, const JobRecord& record,
                                          const PlacementRequest& request, RandomStream& with);
  void reserve(const Preemption& preemption, bool reserved);
  /// The gangs on the groups' hosts that may be preempted for it.
  std::vector<PreemptionVictim> preemption_victims(Instant now, const JobRecord& record,
                                                   const Preempt& preempt,
                                                   const std::vector<GroupSet>& places) const;
  /// All devices of the attempt on known hosts.
  std::vector<DeviceIndex> devices_of(const JobRecord& record) const;
  /// Whether gangs are preempted for a job that would wait; the decision names them.
  bool preempt_for(Instant now, JobRecord& record, PlacementResult& result);
  void begin_preemption(Instant now, const JobRecord& record, const PreemptionPlan& plan,
                        Duration grace, Decision& decision);
  /// Releases the devices reserved for the job. `why`: reported; empty: the job was placed.
  void end_preemption(Instant now, const JobId& job, std::string_view why);
  /// Ends preemptions whose time is over, or whose host is lost.
  void expire_preemptions(Instant now);

  // fair_share_reservation.cpp
  /// Reserves devices for a gang whose tenant's deficit exceeds what they can cost.
  void reserve_fair_shares(Instant now);
  bool reserve_devices(Instant now, const JobRecord& record, double deficit_device_s);

  // replica_yield.cpp
  /// Unloads surplus replicas from devices that work waits for.
  void yield_replicas(Instant now);
  /// Whether work on the replica takes longer than its devices could be reserved for another job.
  bool is_long_busy(ReplicaIndex index) const;
  /// The job's placement if these replicas were unloaded.
  std::optional<Allocation> placement_without(Instant now, const JobRecord& record,
                                              const std::vector<ReplicaIndex>& unloaded);
  /// Unloads as few of these as the job's placement needs; false: unloading would not help.
  bool unload_for(Instant now, const JobRecord& record, const std::vector<ReplicaIndex>& spare);

  // policy_reload.cpp
  void handle(Instant now, Caller caller, const ApplyPolicy& asked);
  /// Applies the file that the shell has reread, in the name of `by`.
  void reload(Instant now, const ApplyPolicy& asked, const std::string& by);
  void handle(Instant now, Caller caller, const PolicyRequest& request);
  /// Checks, writes and activates the policy; the reply gives the errors.
  ActionReply change_policy(Instant now, const ApplyPolicy& asked, const std::string& by);
  /// Activates the policy, between two decisions.
  void activate_policy(Instant now, Policy fresh, PolicyReply origin);
  void begin_policy();
  /// Recomputes everything derived from the policy in force.
  void rebuild_policy_state(Instant now);
  /// After a restart: restores the last applied policy, unless a newer one was given at the start.
  Status restore_policy(const PolicyReply& applied);

  // alert_conditions.cpp
  void evaluate_alerts(Instant now, const Summary& sums);
  void add_host_conditions(Instant now, std::vector<AlertCondition>& seen) const;
  void add_ejection_conditions(std::vector<AlertCondition>& seen) const;
  void add_power_conditions(std::vector<AlertCondition>& seen) const;
  void add_job_conditions(Instant now, std::vector<AlertCondition>& seen) const;
  void add_drop_conditions(std::vector<AlertCondition>& seen);
  void handle(Instant now, Caller caller, const AcknowledgeAlert& asked);

  RouterSettings settings;
  /// With the limits in force: its own, or the caps that operators set. Slow start is in fleet
  /// time.
  Policy policy;
  const devices::Catalogue& catalogue;
  RandomStream random;
  FleetState fleet_state;
  Estimator estimator;
  OutboxBuilder outbox;
  ConnectionTable connections;
  FailureDetector failure_detector;
  JobTable jobs;
  JobQueue queue;
  FairShare tenants;
  FailbackTable failbacks;
  Accounting accounting;
  DecisionLog decisions;
  ReplicaController replica_controller;
  SurplusReplicas surplus_replicas;
  PowerCapOverrides caps;
  DrainTable drains;
  PreemptionTable preemptions;
  DeviceConditionTable conditions;
  OutlierDetector outlier_detector;
  AlertTable alerts;
  AlertRuleEvaluator alert_rule_evaluator;

  HostCounterTable host_counts;
  Publisher publisher;
  RejectedMessages rejected;
  FleetTotals totals;
  std::uint32_t suggestions_left = suggestions_per_tick;  // for unknown names, until the next tick
  std::optional<ledger::Reader> reader;                   // until `restored`
  std::map<std::pair<Instant, std::uint64_t>, JobRecord*> deadlines;  // open jobs with a deadline
  RetryLog retries;
  /// Ends of back-offs and of waits for the retry budget, by model of the waiting jobs.
  std::set<std::pair<Instant, std::string>> back_offs;
  Instant begun{};
  Instant ticked{};
  Instant next_summary{};
  Instant next_wake{};
  Instant next_lever{};
  Instant next_yield{};
  using YieldKey = std::pair<int, std::uint64_t>;  // minus priority, number
  YieldKey last_yield_job{};                       // last one tried, if not all are tried at once
  JobId reserved_for_share;                        // gang of a tenant with a deficit; zeros: none
  /// Caps sent to devices recently, until samples can show them.
  struct SentCap {
    double watts = 0;
    Instant until{};
  };
  std::map<DeviceIndex, SentCap> sent_caps;
  std::map<std::string, Instant> over_cap_since;  // by subject of the cap
  Instant next_cap_raise{};
  Instant hosts_awaited_until{};  // after a restart: end of leases without a host
  Caption caption;                // the current one; no text: none
  std::uint64_t caption_by = 0;
  PolicyReply policy_origin;    // of the policy in force
  Instant next_cancel = never;  // of attempts; `never`: none must end
  bool policy_unpublished = true;
  bool awaiting_hosts = false;
  bool more_to_decide = false;
  bool ending = false;
  std::uint64_t snapshots = 0;
};

}  // namespace drover::router
