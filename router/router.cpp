#include "router/router.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "router/actions.h"
#include "router/bookmarks.h"
#include "router/dispatch/replica_control.h"
#include "router/history/recent_history.h"
#include "router/hosts/hosts.h"
#include "router/ledger/ledger.h"
#include "router/queries.h"
#include "router/submissions.h"

namespace drover::router {

/// The tables of the router, and the classes that work on them. Each class names the tables and the
/// classes it uses; all of these stand before it here, so that no two depend on each other. It
/// hands each message to the class that answers it, and ticks the classes in a fixed order.
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
  BoardTable boards;
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
  Boards board_reports;
  Hosts hosts;
  PowerControl power;
  AlertEvaluation alerts;
  PolicyControl policy_control;
  Actions actions;
  Submissions submissions;
  Queries queries;
  RecentHistory history;
  Bookmarks bookmarks{{settings, outbox, publisher}};

  std::optional<ledger::Reader> reader;  // until `restored`
  Instant begun;
  Instant ticked;
  Instant next_summary;
  Instant next_wake;
};

namespace {

// Events about one sender of invalid messages, and ledger rows about one sender of refused
// requests: one a minute.
constexpr double report_dropped_every_s = 60;

// Connections that never registered are dropped after this many leases of silence.
constexpr int leases_of_silence = 60;

/// Requests that are written to the ledger before they are executed.
bool is_action(const Message& message) {
  return std::holds_alternative<InjectFault>(message) ||
         std::holds_alternative<SetPowerCap>(message) ||
         std::holds_alternative<SetDrain>(message) || std::holds_alternative<CancelJobs>(message) ||
         std::holds_alternative<ApplyPolicy>(message) ||
         std::holds_alternative<AcknowledgeAlert>(message) ||
         std::holds_alternative<ForgetHost>(message);
}

JoinAccepted welcome_of(const RouterSettings& settings) {
  JoinAccepted welcome;
  welcome.speed = settings.speed;
  welcome.samples_endpoint = settings.samples_endpoint;
  welcome.publish_endpoint = settings.publish_endpoint;
  welcome.heartbeat_every = settings.heartbeat_every;
  welcome.lease = settings.lease;
  welcome.software = settings.software;
  welcome.bundles = true;
  welcome.bookmarks = true;
  return welcome;
}

}  // namespace

RouterCore::RouterCore(RouterSettings router_settings, Policy router_policy,
                       const devices::Catalogue& known_specs, Instant start)
    : settings(std::move(router_settings)),
      policy(std::move(router_policy)),
      catalogue(known_specs),
      random(RandomStream(settings.seed).child("decisions")),
      fleet_state(settings.fleet_state_limits),
      jobs(settings.retention.ended_jobs, settings.retention.ids),
      accounting(start),
      decisions(settings.decisions_kept),
      outbox({start, settings.suspect_after}),
      publisher({policy, fleet_state, conditions, host_counts, connections, queue, jobs, outbox}),
      rejected({connections, outbox, publisher},
               from_seconds(report_dropped_every_s * settings.speed)),
      totals({settings, policy, fleet_state, jobs, estimator, rejected, queue, accounting,
              host_counts, outbox, publisher},
             start),
      waiting({settings, policy, catalogue, jobs, queue, tenants}),
      outliers({policy, jobs, fleet_state, queue, publisher},
               {in_fleet_time(policy.eject, settings.speed), random.child("ejections")}),
      reserved({policy, fleet_state, estimator, jobs, queue, preemptions, publisher}),
      ends({settings, policy, preemptions, fleet_state, estimator, jobs, queue, tenants, failbacks,
            accounting, outbox, publisher, outliers, reserved, waiting}),
      attempts({settings, policy, connections, preemptions, fleet_state, jobs, tenants, drains,
                accounting, outbox, publisher, rejected, outliers, ends}),
      dispatcher({settings,    policy,    catalogue, preemptions, random,    fleet_state, estimator,
                  connections, jobs,      queue,     tenants,     failbacks, accounting,  decisions,
                  outbox,      publisher, reserved,  waiting,     ends,      attempts},
                 start),
      replicas({settings, policy, catalogue, connections, jobs, tenants, preemptions, waiting,
                queue, random, fleet_state, estimator, replica_controller, accounting, outbox,
                publisher, reserved, dispatcher}),
      availability({policy, drains, fleet_state, conditions, queue, publisher, rejected}),
      board_reports({fleet_state, outbox, rejected, boards}),
      hosts({settings,  policy,       fleet_state,  estimator,   connections, jobs,
             queue,     tenants,      accounting,   host_counts, conditions,  replica_controller,
             sent_caps, outbox,       publisher,    rejected,    outliers,    reserved,
             attempts,  availability, board_reports},
            welcome_of(settings), start),
      power({settings, fleet_state, jobs, connections, boards, policy, queue, sent_caps, outbox,
             publisher}),
      alerts({settings, policy, fleet_state, jobs, queue, conditions, boards, outliers, power,
              rejected, outbox, publisher}),
      policy_control({settings, queue, policy, fleet_state, tenants, failbacks, accounting, outbox,
                      publisher, outliers, waiting, availability, power, alerts},
                     settings.policy_place, start),
      actions({settings, policy, fleet_state, connections, conditions, queue, jobs, drains, outbox,
               publisher, ends, attempts, availability}),
      submissions(
          {policy, catalogue, queue, jobs, accounting, outbox, publisher, waiting, dispatcher}),
      queries({settings,  policy,      jobs,           conditions, decisions,   accounting,
               publisher, totals,      policy_control, alerts,     actions,     catalogue,
               random,    preemptions, waiting,        dispatcher, fleet_state, estimator,
               reserved,  boards,      outbox}),
      history({policy, fleet_state, outbox}, from_seconds(settings.speed)),
      begun(start),
      ticked(start),
      next_summary(saturating_add(start, settings.summary_every)),
      next_wake(saturating_add(start, settings.heartbeat_every)) {
  outbox.write(ledger::started(start, settings.speed, settings.software));
}

Status RouterCore::restored() {
  if (!reader) return {};
  if (reader->policy()) {
    DROVER_TRY(policy_control.restore(begun, *reader->policy()));
  }
  for (const auto& [host, noted] : reader->host_counts()) {
    host_counts.restore(host, noted.registration.incarnation,
                        {noted.sample_gaps, noted.samples_thinned, noted.undecodable});
  }
  for (const auto& [at, said] : reader->drains()) drains.apply(at, said);
  drains.take_expired(begun);  // reported before the restart, or too late to report
  attempts.check_cancels_at(drains.next_deadline());
  power.restore(begun, reader->power_caps());
  reader.reset();
  for (const auto& [number, record] : jobs.open()) {
    waiting.watch_deadline(*record);
    if (record->holds_attempt()) {
      // Only the agent's Register shows whether it still runs.
      record->state = JobState::leased;
      attempts.await_hosts(saturating_add(begun, settings.lost_after));
      waiting.set_class(*record);
    } else {
      waiting.add(*record);
    }
  }
  return {};
}

void RouterCore::receive(Instant now, Peer from, const Envelope& envelope, std::string_view key) {
  if (const auto why = why_refused(connections, from, envelope.body)) {
    return rejected.reject(now, {from,
                                 sender_text(from, "", key),
                                 *why,
                                 std::string(key),
                                 {},
                                 std::string(kind_name(envelope.body))});
  }
  if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    return hosts.apply_samples(now, envelope, *batch);
  }
  if (from.channel == Channel::publish) return receive_own(now, envelope);
  const Caller caller{from, rejected.touch_connection(now, from.number), key};
  const bool agents_only = sender_role_of(envelope.body) == SenderRole::agent;
  if (agents_only && !std::holds_alternative<Register>(envelope.body)) {
    if (!hosts.record_contact(now, caller)) return;
  }
  if (is_action(envelope.body) && outbox.rejects_writes()) {
    return outbox.send(now, from,
                       RequestError{"nothing was done: " + outbox.backpressure().text(), true});
  }
  const auto offer = [&](const auto& message, auto&... parts) {
    const auto offer_to = [&](auto& part) {
      if constexpr (requires { part.handle(now, caller, message); }) {
        part.handle(now, caller, message);
      }
    };
    (offer_to(parts), ...);
  };
  std::visit(
      [&](const auto& message) {
        offer(message, hosts, board_reports, availability, attempts, submissions, actions, power,
              policy_control, alerts, queries, totals, history, bookmarks, *this);
      },
      envelope.body);
}

// Nobody else can send on the publish channel.
void RouterCore::receive_own(Instant now, const Envelope& envelope) {
  if (const auto* reported = std::get_if<Event>(&envelope.body)) {
    if (reported->subject == "ledger") {
      outbox.backpressure().set_problem(reported->severity == Severity::critical ? reported->text
                                                                                 : "");
    }
    publisher.event(now, reported->severity, reported->subject, reported->text);
  } else if (const auto* audit = std::get_if<Audit>(&envelope.body)) {
    publisher.record_audit(now, *audit);
  } else if (const auto* read = std::get_if<ApplyPolicy>(&envelope.body)) {
    policy_control.reload(now, *read, envelope.sender);
  } else if (std::holds_alternative<Leave>(envelope.body)) {
    rejected.audit_due(now, never);
  }
}

void RouterCore::handle(Instant now, const Caller& caller, const EndRunRequest&) {
  waiting.close();
  attempts.end_run(now);
  totals.end_run(now, caller);
}

void RouterCore::tick(Instant now) {
  ticked = std::max(ticked, now);
  outbox.tick(ticked);
  submissions.tick();
  if (hosts.sweep(now)) {
    attempts.end_unanswered(now);
    replicas.manage(now);
  } else {
    // Leases from before a restart get the same grace as hosts.
    attempts.extend_wait(saturating_add(now, settings.lost_after));
  }
  ends.expire(now);
  waiting.end_back_offs(now);
  availability.end_faults(now);
  power.end_caps(now);
  attempts.cancel_due(now);
  policy_control.publish_changes(now);
  outliers.apply_changes(now);
  reserved.expire(now);
  if (now >= next_wake) {
    // Samples change filter results (temperature, staleness, power) without a message that wakes.
    availability.discard_stale_readings(now);
    queue.wake_all();
    next_wake = saturating_add(now, settings.heartbeat_every);
  }
  dispatcher.dispatch(now);
  if (now >= next_summary) summarize(now);
}

void RouterCore::summarize(Instant now) {
  power.enforce_caps(now);
  hosts.forget_left(now);
  rejected.audit_due(now, now);
  const Summary summary = totals.publish(now);
  alerts.evaluate(now, summary);
  history.record(now, summary);
  actions.end_caption(now);
  power.adjust_power_caps(now);
  totals.write_due_counters(now);
  next_summary = saturating_add(now, settings.summary_every);
  const auto gone = connections.forget_silent(now, leases_of_silence * settings.lease);
  for (const std::uint64_t number : gone) outbox.forget({Channel::control, number});
}

Instant RouterCore::next_deadline() const {
  if (dispatcher.has_more()) return ticked;
  Instant next = std::min({hosts.next_sweep(), next_summary, waiting.next_deadline(),
                           power.next_end(), conditions.next_end(), outliers.next_deadline(),
                           attempts.next_cancel(), preemptions.next_end()});
  if (queue.size() > 0) next = std::min(next, next_wake);
  return next;
}

Router::Router(RouterSettings settings, Policy policy, const devices::Catalogue& catalogue,
               Instant start)
    : core_(
          std::make_unique<RouterCore>(std::move(settings), std::move(policy), catalogue, start)) {}

Router::~Router() = default;

Status Router::restore(const std::vector<LedgerRow>& rows) {
  for (const LedgerRow& row : rows) {
    DROVER_TRY(restore_row(row));
  }
  return restored();
}

Status Router::restore_row(const LedgerRow& row) {
  auto& reader = core_->reader;
  if (!reader) reader.emplace(core_->jobs, core_->accounting);
  return reader->read(row);
}

Status Router::restored() { return core_->restored(); }

void Router::receive(Instant now, Peer from, const Envelope& envelope, std::string_view key) {
  core_->receive(now, from, envelope, key);
}

void Router::reject_message(Instant now, const Dropped& dropped) {
  core_->rejected.reject(now, dropped);
}

std::optional<std::string> Router::refusal(Peer from, const Envelope& envelope) const {
  return why_refused(core_->connections, from, envelope.body);
}

bool Router::speaks_for_host(Peer from) const {
  const ConnectionEntry* peer = core_->connections.find(from.number);
  return peer != nullptr && !peer->host.empty();
}

void Router::committed(Instant now, std::uint64_t sequence) {
  core_->outbox.committed(now, sequence);
  core_->totals.publish_committed(now);
}

void Router::tick(Instant now) { core_->tick(now); }

void Router::set_has_subscribers(bool has_subscribers) {
  core_->outbox.set_has_subscribers(has_subscribers);
}

Instant Router::next_deadline() const { return core_->next_deadline(); }

Outbox Router::take_outbox() {
  core_->publisher.publish_changed_jobs();
  return core_->outbox.take();
}

Summary Router::summary(Instant now) const { return core_->totals.summary(now); }

WhyReply Router::why(Instant now, const std::string& job_prefix) {
  return core_->queries.why(now, job_prefix);
}

std::vector<CandidateStatus> Router::candidates(std::uint64_t decision) const {
  return candidate_statuses(core_->fleet_state, core_->policy,
                            core_->decisions.record_of(decision));
}

const Policy& Router::policy() const { return core_->policy; }

}  // namespace drover::router
