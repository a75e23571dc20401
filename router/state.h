// The router core's state, and what it does with it, by file:
//
//   router.cpp: public calls, ticks, deadlines; turning_away.cpp: what is not let in
//   meeting.cpp: connections, hosts, samples, replicas; leaving.cpp: hosts that leave
//   dispatch.cpp: from the queue to a lease; members.cpp: parts of gangs over hosts
//   results.cpp: where attempts and jobs end; outliers.cpp: places that fail
//   fleet_work.cpp: replicas started and retired, beats; watch.cpp: what alerts look at
//   requests.cpp, explaining.cpp: what clients ask; actions.cpp: faults, caps, what agents say
//   draining.cpp, cancelling.cpp, policy_change.cpp: what people do
//   giving_way.cpp, keeping_shares.cpp, preempting.cpp: room that others make
//   holding_caps.cpp, pulling_lever.cpp: power caps of devices, for caps and by the policy
//
// Only for these files.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/dice.h"
#include "router/actions/drains.h"
#include "router/actions/injection.h"
#include "router/actions/power_caps.h"
#include "router/alerts/alerts.h"
#include "router/alerts/rule_watch.h"
#include "router/core_limits.h"
#include "router/decision/decide.h"
#include "router/explain/decision_log.h"
#include "router/decision/estimate.h"
#include "router/decision/routes.h"
#include "router/explain/explain.h"
#include "router/health/dropped.h"
#include "router/health/ejection.h"
#include "router/health/health.h"
#include "router/health/peers.h"
#include "router/health/refusals.h"
#include "router/health/retry_budget.h"
#include "router/jobs/accounting.h"
#include "router/jobs/jobs.h"
#include "router/jobs/preemption.h"
#include "router/jobs/preemptions.h"
#include "router/jobs/queue.h"
#include "router/jobs/replicas.h"
#include "router/jobs/spare_replicas.h"
#include "router/jobs/tenants.h"
#include "router/ledger/ledger.h"
#include "router/ledger/ledger_disk.h"
#include "router/mail.h"
#include "router/roster/conditions.h"
#include "router/roster/host_counts.h"
#include "router/roster/roster.h"
#include "router/router.h"

namespace drover::router {

/// Who sent the message at hand.
struct Caller {
  Peer peer;
  PeerEntry& entry;
  std::string_view key;  // its proven name; empty: none
};

struct Core {
  Core(RouterSettings router_settings, Policy router_policy, const devices::Catalogue& known_specs,
       Instant start);

  // ---- router.cpp
  void receive(Instant now, Peer from, const Envelope& envelope, std::string_view key);
  void tick(Instant now);
  Instant next_deadline() const;
  Status restore_row(const LedgerRow& row);
  Status restored();
  void expire(Instant now);
  bool takes_no_writes() const { return disk.takes_no_writes(mail.uncommitted()); }
  void end_back_offs(Instant now);
  Summary summary(Instant now) const;
  void note_draw(Summary& summary) const;  // what the fleet draws and spends now

  // ---- turning_away.cpp
  /// Why the connection's role may not send this here; none: it may.
  std::optional<std::string> refusal(Peer from, const Message& message) const;
  PeerEntry& hear(Instant now, std::uint64_t number);
  void turn_away(Instant now, const Dropped& what);
  /// Not to be used: counted by sender, and told now and then. `key`: the sender's, if it has one.
  void drop(Instant now, const std::string& sender, const std::string& why,
            const std::string& key = {});
  void record_refusal(Instant now, Audit line);

  // ---- meeting.cpp
  void meet(Instant now, Caller caller, const Join& join);
  void meet(Instant now, Caller caller, const Hello& hello);
  void want_hello(Instant now, Caller caller);
  void renew_lease(Instant now, Caller caller, const Heartbeat& heartbeat);
  void apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch);
  void apply_report(Instant now, Caller caller, const ReplicaReport& report);
  /// Attempts the host still holds go on; others come back to the queue, or are called off.
  /// What it holds of its work is kept, and what was assigned on this connection after it was asked
  /// for its Hello (`asked_at`; Instant{}: another connection, or not known). The rest is lost.
  void reconcile(Instant now, Caller caller, const Hello& hello, Instant asked_at);
  void take_over(Instant now, Caller caller, const Hello& hello);
  void set_health(Instant now, HostIndex host, Health health, const std::string& why);
  /// It is lost, or has left: its work is queued again. `what` happened, for people.
  void lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                 const std::string& what);
  void sweep(Instant now);
  /// Leases of an earlier life whose hosts did not come back in time.
  void give_up_waiting(Instant now);
  /// Ends every member of which `why(member)` says so, if it says anything; `host_lost(member)`:
  /// through no fault of the job's.
  template <typename Why, typename Lost>
  void end_members(Instant now, JobRecord& record, Why why, Lost host_lost);
  /// Assignments that got lost on their way: their host has not said a word of them.
  void call_off_unanswered(Instant now);

  // ---- leaving.cpp
  /// In order: no more work for it; it is gone once it has given back what it had.
  void leave(Instant now, Caller caller, const Leave& leave);
  void set_leaving(Instant now, HostIndex host, bool leaving);
  void act(Instant now, Caller caller, const ForgetHost& asked);
  /// It is no part of the fleet any more. What was said about its name stays: drains, the ledger.
  /// REQUIRES that it is lost or has left.
  void forget_host(Instant now, HostIndex host, const std::string& why);
  /// Those that left long ago.
  void forget_left(Instant now);

  // ---- dispatch.cpp
  void dispatch(Instant now);
  void decide_one(Instant now, JobRecord& record);
  void lease(Instant now, JobRecord& record, Verdict& verdict);
  /// Tells the roster of the attempt that the record's lease describes. `watts`: more, of each
  /// device of a gang; of a replica, what it will draw above its devices' open power.
  /// Counts the job at once where its lease says. Of `place` times and watts are looked at.
  void promise(Instant now, JobRecord& record, const Place& place);
  /// Answers the group of the first member's devices.
  GroupIndex promise_gang(Instant now, const JobRecord& record, Instant busy_until,
                          double watts_each);
  void assign(Instant now, const JobRecord& record, const Member& member, const Place& place,
              std::uint64_t write);
  /// What the placement means for the jobs of its rule that follow.
  void note_route(Instant now, JobRecord& record, const Verdict& verdict);
  /// With all candidates of the decision that was just made.
  void note(Instant now, JobRecord* record, Decision decision);
  /// It waits from now on, or no longer; nothing happens when it did not.
  void enqueue(JobRecord& record);
  void dequeue(JobRecord& record);
  /// When the retry budget has room for the job: `now`, or later.
  Instant retry_room(Instant now, const JobRecord& record);
  /// It waits for the retry budget, until then.
  void hold_retry(Instant now, JobRecord& record, Instant until);
  /// Why it waits, in words.
  std::string retry_words(Instant until) const;
  /// Fails a job that no device of the fleet could ever run, once hosts had the time to join.
  bool give_up_impossible(Instant now, JobRecord& record, Verdict& verdict);
  Ask ask_for(const JobRecord& record, const devices::ModelSpec& model) const;
  /// The model's spec text, or nothing when this connection has carried it.
  std::string spec_text_for(std::uint64_t peer, const std::string& model);

  // ---- members.cpp
  /// The member has taken the attempt.
  void joined(Instant now, JobRecord& record, Member& member);
  void paced(Instant now, Caller caller, const MemberPace& told);
  /// To the member's host, when it is there and the member has not ended.
  void tell(Instant now, const Member& member, Message said, std::uint64_t after_write = 0);
  /// Cancel to every member that has not ended.
  void call_off(Instant now, const JobRecord& record, Reason reason, std::uint64_t after_write = 0);
  /// The member's part is over; a failure calls off the others. Answers the write with which the
  /// attempt ended, 0 while others still run. Nothing happens when the member had ended before.
  std::uint64_t end_member(Instant now, JobRecord& record, const std::string& host, Failed failed);
  std::uint64_t end_member(Instant now, JobRecord& record, const std::string& host,
                           const Finished& finished);
  /// Ends the attempt, once every member has ended, and tells them that it is stored.
  std::uint64_t conclude(Instant now, JobRecord& record);

  // ---- results.cpp
  void started(Instant now, Caller caller, const Accepted& accepted);
  void progressed(Instant now, Caller caller, const Progress& progress);
  void refused(Instant now, Caller caller, const Refused& refusal);
  void ended(Instant now, Caller caller, const Finished& finished);
  void ended(Instant now, Caller caller, const Failed& failed);
  template <typename End>
  void store_late(Instant now, Caller caller, const End& end, bool counts);
  /// The record when this attempt is its current one, on this host; else null.
  JobRecord* current(const std::string& host, const JobId& job, std::uint32_t attempt);
  void run(Instant now, JobRecord& record);
  /// Its devices are busy for as long as it still takes, as its agent told last.
  void note_busy(Instant now, const JobRecord& record);
  /// Its host said more of `what` than can be true: counted by host, and told now and then.
  void note_cut(Instant now, const std::string& host, const std::string& what);
  Usage priced_usage(const JobRecord& record, const std::string& host, Usage usage) const;
  /// Every member has finished. Answers the write.
  std::uint64_t finish(Instant now, JobRecord& record, const Finished& finished);
  /// Takes back what the roster was promised for the attempt.
  void withdraw(JobRecord& record);
  /// The attempt is over: withdrawn, off its host, and whoever waits may try again.
  void release(JobRecord& record, bool finished = false);
  /// The attempt came to nothing: queued again, or failed when that was the last. Answers the
  /// write.
  std::uint64_t give_back(Instant now, JobRecord& record, Failed failed);
  /// For good. Answers the write.
  std::uint64_t fail(Instant now, JobRecord& record, Failed failed);
  std::uint64_t fail(Instant now, JobRecord& record, Reason reason, std::string detail);
  /// When the failed attempt may be repeated on the same place.
  Instant retry_time(Instant now, std::uint32_t attempts) const;
  void publish_job(Instant now, const JobRecord& record);
  void close(Instant now, JobRecord& record, JobState state, std::uint64_t write);

  // ---- outliers.cpp
  /// The place of the record's attempt: "host/r0", "host/g0"; "" where there is none any more.
  std::string place_name(const JobRecord& record, const Member& member) const;
  /// The attempt came to its end there, or, for this reason and by this host's fault, did not.
  void credit(Instant now, const JobRecord& record);
  void blame(Instant now, const JobRecord& record, const std::string& host, Reason reason);
  /// All that runs on the host is gone with it: one failure of each place, whatever ran there.
  void blame_host(Instant now, const std::string& host);
  void enrol_places(Instant now, HostIndex host);
  void enrol_place(Instant now, ReplicaIndex index);
  Trust* trust_of(const std::string& place);
  void forget_dropped();
  /// What has begun and ended since: told to the roster, and published.
  void settle_ejections(Instant now);

  // ---- fleet_work.cpp
  void manage_replicas(Instant now);
  bool start_replica(Instant now, JobRecord& record);
  /// Answers false when its host cannot be told now.
  bool retire_replica(Instant now, ReplicaIndex index, std::string rule, std::string why);
  void publish_replica(Instant now, const Replica& replica, GroupIndex group);
  HostChanged host_shown(HostIndex host) const;
  void publish_host(Instant now, HostIndex host);
  void tell_host_counts(Instant now);
  /// Answers the totals that it publishes, once all that they hold is on disk: no later life shows
  /// less.
  Summary publish_beat(Instant now);
  void publish_totals(Instant now);
  /// What is shown of the fleet's energy and cost, and of counters, goes to the disk first.
  void note_shown(Instant now);
  Shown shown_now(Instant now) const;
  /// The fleet's sums and counters into the ledger, when they have changed.
  void write_counters(Instant now);
  void event(Instant now, Severity severity, std::string subject, std::string text);
  std::string pool_of(GroupIndex group) const;

  // ---- job_listing.cpp
  void answer(Instant now, Caller caller, const JobsRequest& request);
  JobsReply listed(const JobsRequest& request) const;

  // ---- requests.cpp
  void submit(Instant now, Caller caller, const Submit& submit);
  SubmitResult submit_one(Instant now, const Job& job, std::uint64_t& after_write);
  /// The class of the policy in force that the job belongs to, and the rule that holds for it.
  void note_class(JobRecord& record) const;
  SubmitResult refuse(const Job& job, Reason reason, std::string detail);
  void answer(Instant now, Caller caller, const SnapshotRequest& request);
  void answer(Instant now, Caller caller, const SummaryRequest& request);
  void end_run(Instant now, Caller caller);
  /// The one job whose id begins with these digits; an error where there is none, or several.
  Result<JobRecord*> named(const std::string& prefix);
  JobChanged told(const JobRecord& record) const;
  std::vector<std::string> snapshot_messages(Instant now) const;

  // ---- explaining.cpp
  void answer(Instant now, Caller caller, const WhyRequest& request);
  /// Changes nothing that a later turn could see.
  WhyReply why(Instant now, const std::string& job_prefix);
  /// How all candidates stood in its last decision; for a job that waits, how they stand now.
  void explain(Instant now, const JobRecord& record, WhyReply& reply);
  /// Of a job that waits: the decision as it would be made now, when that is another one, and what
  /// would let it go.
  void explain_wait(Instant now, const JobRecord& record, WhyReply& reply);
  /// Not asked of any place: it waits for the retry budget, as these words say.
  Decision held_decision(Instant now, const JobRecord& record, std::string words) const;
  /// Devices that are kept for jobs, and when this one will have waited too long.
  Wait wait_of(const JobRecord& record, const Verdict& verdict) const;

  // ---- actions.cpp
  void act(Instant now, Caller caller, const Inject& inject);
  void act(Instant now, Caller caller, const SetPowerCap& cap);
  /// The client's label, as audits name it.
  std::string who(Caller caller) const;
  /// The audit's row, an event, and the audit published; answers the row's write.
  std::uint64_t put_on_record(Instant now, Audit audit);
  /// On record, and answered when that is on disk; answers the write.
  std::uint64_t conclude(Instant now, Caller caller, const std::string& action,
                         const std::string& target, ActionReply reply);
  void apply_fault(Instant now, const Reached& reached, const Fault& fault,
                   std::uint64_t after_write);
  void change_limits();
  /// Faults and caps whose time is over.
  void end_actions(Instant now);
  void take(Instant now, Caller caller, const DeviceReport& report);
  void take(Instant now, Caller caller, const Caption& said);
  /// When the connection that said it is forgotten.
  void end_caption(Instant now);
  void hear_faults(Instant now, HostIndex host, const Hello& hello, Instant asked_at);
  /// What was known of single devices: the host is lost, or another life of it has begun.
  void forget_conditions(Instant now, HostIndex host, bool in_force = false);
  DeviceChanged device_shown(DeviceKey device) const;
  void publish_device(Instant now, DeviceKey device);
  /// Something about the device has changed: told to the roster, and published.
  void settle_device(Instant now, DeviceKey device);
  /// Samples of unusable devices that were under way when their agent said so: no longer believed.
  void settle_silent(Instant now);
  PolicyChanged policy_shown() const;
  std::uint64_t policy_number() const { return static_cast<std::uint64_t>(policy.version); }

  // ---- draining.cpp
  void act(Instant now, Caller caller, const SetDrain& asked);
  /// In the order of the hosts' names.
  std::vector<DeviceKey> devices_of(const Target& target) const;
  /// What the words about targets mean for each device now: told to the roster, published.
  void settle_drains(Instant now);
  void settle_drains(Instant now, HostIndex host);
  /// Why the attempt is to end, if it is.
  std::optional<Reason> called_off(Instant now, const JobRecord& record) const;
  /// The devices that the member's part of the attempt runs on, as far as they are known.
  std::vector<std::uint16_t> devices_of(const JobRecord& record, const Member& member) const;
  /// Jobs that have an attempt on any of these.
  std::size_t running_on(const std::vector<DeviceKey>& devices) const;
  bool is_drained(Instant now, const JobRecord& record, const Member& member) const;
  /// Says Cancel for each attempt that is to end, again each heartbeat while there are any.
  void call_off(Instant now);

  // ---- cancelling.cpp
  void act(Instant now, Caller caller, const CancelJobs& asked);
  /// The job is added to `out` when it runs and was not called off before.
  CancelResult cancel(Instant now, const std::string& text, const std::string& why,
                      std::vector<JobRecord*>& out);
  /// Of a job whose details were let go, or that never was.
  CancelResult forgotten_end(const std::string& text, const std::string& problem) const;
  void call_off_cancelled(Instant now, const std::vector<JobRecord*>& out);

  // ---- holding_caps.cpp
  /// A power cap in force, and whose devices it is about: the site's, or of this pool.
  struct CapLimit {
    std::string subject;
    std::optional<std::uint32_t> pool;
    double cap_w = 0;
    bool admission_only = false;
  };
  std::vector<CapLimit> cap_limits() const;
  /// The limit on this target, if it has one.
  std::optional<CapLimit> cap_limit(const std::string& subject) const;
  /// Where more is drawn than a cap allows, caps of devices go down at once; where there is room
  /// again, or no cap any more, up.
  void hold_caps(Instant now);
  void give_back_caps(Instant now, const std::vector<CapLimit>& limits);
  void restore_caps(Instant now, const std::vector<CapLimit>& limits);
  /// So long after a cap was set, or more was drawn, samples show that it is met.
  Duration caps_met_within(const std::optional<std::uint32_t>& pool) const;
  /// Caps that are not met though they should be.
  void see_unmet_caps(Instant now, std::vector<Sighting>& seen) const;
  /// What follows from this cap, in words, before anything was done for it.
  std::string cap_outlook(Instant now, const SetPowerCap& cap, bool was_set) const;
  /// What still limits this target once its cap is gone.
  std::string uncapped_words(const std::string& subject, bool was_set) const;
  /// Why the cap is to be confirmed first; empty: it needs no confirmation.
  std::string cap_doubt(const SetPowerCap& cap, const std::optional<std::uint32_t>& pool) const;
  /// The watts that the device was told to draw at most, or that samples say.
  double cap_in_force(Instant now, DeviceIndex device) const;

  // ---- pulling_lever.cpp
  /// Where a power cap is near, or work waits for watts, caps of devices go down; else up again.
  void pull_levers(Instant now);
  /// What the pool, or the site, draws, and its devices that can be reached.
  /// `wanted_w`: the least that work which waits for watts would add.
  LeverLimit limit_of(Instant now, std::optional<std::uint32_t> pool, double cap_w,
                      const std::vector<double>& wanted_w) const;
  /// What each job that waits for watts would add, as far as it has been decided.
  std::vector<double> wanted_watts() const;
  void cap_devices(Instant now, const std::string& subject, const std::vector<CapStep>& steps,
                   bool down);

  // ---- preempting.cpp
  /// A decision for which the devices that are kept for the job are free.
  Verdict decide_reserved(Instant now, const JobRecord& record, const Ask& ask, Dice& with);
  void reserve(const Preemption& preemption, bool reserved);
  /// The gangs on the groups' hosts that may be sent away for it.
  std::vector<Holder> holders_for(Instant now, const JobRecord& record, const Preempt& preempt,
                                  const std::vector<GroupSet>& places) const;
  /// All that the attempt holds of hosts that are known.
  std::vector<DeviceIndex> devices_of(const JobRecord& record) const;
  /// Whether others are told to make room for a job that is to wait; the decision says who.
  bool preempt_for(Instant now, JobRecord& record, Verdict& verdict);
  void begin_preemption(Instant now, const JobRecord& record, const Eviction& eviction,
                        Duration grace, Decision& decision);
  /// The job needs no devices kept for it any more, if there are any. `why`: told; empty: it has
  /// been placed.
  void end_preemption(Instant now, const JobId& job, std::string_view why);
  /// Those whose time is over, or whose host is lost.
  void settle_preemptions(Instant now);

  // ---- keeping_shares.cpp
  /// Devices are kept for a gang whose tenant is owed more than that can cost.
  void keep_shares(Instant now);
  bool keep_devices(Instant now, const JobRecord& record, double owed_device_s);

  // ---- giving_way.cpp
  /// Spare replicas leave devices that work waits for.
  void give_way(Instant now);
  /// What runs on the replica takes longer than its devices could be kept for another job.
  bool is_long_busy(ReplicaIndex index) const;
  /// Where the job could be, as if these replicas had left.
  std::optional<Place> place_without(Instant now, const JobRecord& record,
                                     const std::vector<ReplicaIndex>& lifted);
  /// Chooses as few of these as let the job have a place; false: none would.
  bool make_room(Instant now, const JobRecord& record, const std::vector<ReplicaIndex>& spare);

  // ---- policy_change.cpp
  void act(Instant now, Caller caller, const ApplyPolicy& asked);
  /// What the shell has read anew, in the name of `by`.
  void reload(Instant now, const ApplyPolicy& asked, const std::string& by);
  void answer(Instant now, Caller caller, const PolicyRequest& request);
  /// Checked, written and in force; the reply says what was not.
  ActionReply change_policy(Instant now, const ApplyPolicy& asked, const std::string& by);
  /// In force from here on, between two decisions.
  void adopt(Instant now, Policy fresh, PolicyReply origin);
  void begin_policy();
  /// What is worked out from the policy in force, anew.
  void settle_policy(Instant now);
  /// After a restart: the policy that was applied last, unless a newer one was named at the start.
  Status adopt_applied(const PolicyReply& applied);

  // ---- watch.cpp
  void watch(Instant now, const Summary& totals);
  void see_hosts(Instant now, std::vector<Sighting>& seen) const;
  void see_ejections(std::vector<Sighting>& seen) const;
  void see_power(std::vector<Sighting>& seen) const;
  void see_jobs(Instant now, std::vector<Sighting>& seen) const;
  void see_junk(std::vector<Sighting>& seen);
  void act(Instant now, Caller caller, const AcknowledgeAlert& asked);

  RouterSettings settings;
  /// Its limits are those in force: its own, or the caps that people have set. Slow start is in
  /// fleet time.
  Policy policy;
  const devices::Catalogue& catalogue;
  Dice dice;
  Roster roster;
  Estimator estimator;
  Mail mail;
  LedgerDisk disk;
  PeerBook peers;
  HealthBook health;
  JobBook jobs;
  JobQueue queue;
  TenantBook tenants;
  RouteBook routes;
  Accounting accounting;
  DroppedBook dropped;
  RefusalBook refusals;
  DroppedBook deferred;     // requests that clients may say again
  DroppedBook figures_cut;  // that agents told, by host
  DecisionLog decisions;
  ReplicaKeeper keeper;
  SpareReplicas spares;
  PowerCaps caps;
  DrainBook drains;
  PreemptionBook preemptions;
  ConditionBook conditions;
  EjectionBook ejections;
  AlertBook alerts;
  RuleWatch rule_watch;

  HostCountBook host_counts;
  std::uint32_t suggestions_left = suggestions_per_tick;  // for unknown names, until the next tick
  std::optional<ledger::Reader> reader;                   // until `restored`
  std::deque<std::pair<Instant, Event>> events;           // the last ones, for those who join late
  std::map<std::pair<Instant, std::uint64_t>, JobRecord*> deadlines;  // open jobs with a deadline
  RetryLog retries;
  /// Ends of back-offs and of waits for the retry budget, and whose model's jobs wait for them.
  std::set<std::pair<Instant, std::string>> back_offs;
  Instant begun{};
  Instant ticked{};
  Instant next_summary{};
  Instant next_wake{};
  Instant next_lever{};
  Instant next_give_way{};
  using SeekerKey = std::pair<int, std::uint64_t>;  // minus priority, number
  SeekerKey last_seeker{};                          // asked last, where not all are at once
  JobId kept_for_share;  // a gang of a tenant that is owed devices; zeros: none
  /// Caps that devices were told of late: until samples can show them.
  struct ToldCap {
    double watts = 0;
    Instant until{};
  };
  std::map<DeviceIndex, ToldCap> told_caps;
  std::map<std::string, Instant> over_cap_since;  // by subject of the cap
  Instant next_give_back{};
  Instant next_counters{};
  double cost_written_usd = 0;
  std::optional<std::pair<std::uint64_t, Summary>> held_totals;  // until this write is on disk
  std::optional<Summary> told_totals;                            // published last
  Instant hosts_awaited_until{};  // after a restart: then leases without a host come back
  Caption caption;                // the last one said; no text: none
  std::uint64_t caption_by = 0;
  PolicyReply policy_origin;      // of the policy in force
  Instant next_call_off = never;  // of attempts; `never`: none is to end
  bool policy_untold = true;
  bool awaiting_hosts = false;
  bool more_to_decide = false;
  bool ending = false;
  std::uint64_t snapshots = 0;
};

}  // namespace drover::router
