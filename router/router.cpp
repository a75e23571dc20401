#include "router/router.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "router/jobs/pool_reports.h"
#include "router/router_core.h"

namespace drover::router {
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

}  // namespace

RouterCore::RouterCore(RouterSettings router_settings, Policy router_policy,
                       const devices::Catalogue& known_specs, Instant start)
    : settings(std::move(router_settings)),
      policy(std::move(router_policy)),
      catalogue(known_specs),
      random(RandomStream(settings.seed).child("decisions")),
      fleet_state(settings.fleet_state_limits),
      outbox({start, settings.suspect_after}),
      failure_detector({settings.heartbeat_every, settings.suspect_after, settings.lost_after},
                       start),
      jobs(settings.retention.ended_jobs, settings.retention.ids),
      accounting(start),
      decisions(settings.decisions_kept),
      caps(policy.limits),
      outlier_detector(in_fleet_time(policy.eject, settings.speed), random.child("ejections")),
      alerts(settings.heartbeat_every),
      publisher({policy, fleet_state, conditions, host_counts, connections, queue, outbox}),
      rejected({connections, outbox, publisher},
               from_seconds(report_dropped_every_s * settings.speed)),
      totals({settings, policy, fleet_state, jobs, estimator, rejected, queue, accounting,
              host_counts, outbox, publisher},
             start),
      begun(start),
      ticked(start),
      next_summary(saturating_add(start, settings.summary_every)),
      next_wake(saturating_add(start, settings.heartbeat_every)),
      hosts_awaited_until(saturating_add(start, settings.lost_after)) {
  rebuild_policy_state(start);
  begin_policy();
  outbox.write(ledger::started(start, settings.speed, settings.software));
}

Status RouterCore::restore_row(const LedgerRow& row) {
  if (!reader) reader.emplace(jobs, accounting);
  return reader->read(row);
}

Status RouterCore::restored() {
  if (!reader) return {};
  if (reader->policy()) {
    if (auto status = restore_policy(*reader->policy()); !status) return status;
  }
  for (const auto& [host, noted] : reader->host_counts()) {
    host_counts.restore(host, noted.registration.incarnation,
                        {noted.sample_gaps, noted.samples_thinned, noted.undecodable});
  }
  for (const auto& [at, said] : reader->drains()) drains.apply(at, said);
  drains.take_expired(begun);  // reported before the restart, or too late to report
  next_cancel = drains.next_deadline();
  for (const auto& [at, cap] : reader->power_caps()) {
    // A cap on a pool that the policy no longer has is dropped.
    if (check_cap(cap, policy)) caps.set(at, cap);
  }
  reader.reset();
  caps.end(begun);
  change_limits();
  for (const auto& [number, record] : jobs.open()) {
    if (record->deadline() != never) deadlines[{record->deadline(), number}] = record;
    if (record->holds_attempt()) {
      // Only the agent's Register shows whether it still runs.
      record->state = JobState::leased;
      awaiting_hosts = true;
      set_job_class(*record);
    } else {
      set_job_class(*record);
      enqueue(*record);
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
    return apply_samples(now, envelope, *batch);
  }
  if (from.channel == Channel::publish) {
    // Nobody can send there: these are the messages of the router's own shell.
    if (const auto* reported = std::get_if<Event>(&envelope.body)) {
      if (reported->subject == "ledger") {
        outbox.backpressure().set_problem(reported->severity == Severity::critical ? reported->text
                                                                                   : "");
      }
      publisher.event(now, reported->severity, reported->subject, reported->text);
    } else if (const auto* audit = std::get_if<Audit>(&envelope.body)) {
      publisher.record_audit(now, *audit);
    } else if (const auto* read = std::get_if<ApplyPolicy>(&envelope.body)) {
      reload(now, *read, envelope.sender);
    } else if (std::holds_alternative<Leave>(envelope.body)) {
      rejected.audit_due(now, never);
    }
    return;
  }
  const Caller caller{from, rejected.touch_connection(now, from.number), key};
  const bool agents_only = sender_role_of(envelope.body) == SenderRole::agent;
  if (agents_only && !std::holds_alternative<Register>(envelope.body)) {
    if (caller.entry.host.empty()) return request_register(now, caller);
    const auto host = fleet_state.find_host(caller.entry.host);
    if (host && failure_detector.record_contact(now, *host))
      set_health(now, *host, Health::ok, "heartbeat received again");
  }
  if (is_action(envelope.body) && outbox.rejects_writes()) {
    return outbox.send(now, from,
                       RequestError{"nothing was done: " + outbox.backpressure().text(), true});
  }
  std::visit(
      [&](const auto& body) {
        if constexpr (requires { this->handle(now, caller, body); }) handle(now, caller, body);
        if constexpr (requires { totals.handle(now, caller, body); })
          totals.handle(now, caller, body);
      },
      envelope.body);
}

void RouterCore::tick(Instant now) {
  ticked = std::max(ticked, now);
  outbox.tick(ticked);
  suggestions_left = suggestions_per_tick;
  sweep(now);
  expire(now);
  end_back_offs(now);
  end_actions(now);
  apply_ejection_changes(now);
  expire_preemptions(now);
  if (now >= next_wake) {
    // Samples change filter results (temperature, staleness, power) without a message that wakes.
    discard_stale_readings(now);
    queue.wake_all();
    next_wake = saturating_add(now, settings.heartbeat_every);
  }
  dispatch(now);
  if (now >= next_summary) {
    enforce_caps(now);
    forget_left(now);
    rejected.audit_due(now, now);
    evaluate_alerts(now, totals.publish(now));
    adjust_power_caps(now);
    totals.write_due_counters(now);
    next_summary = saturating_add(now, settings.summary_every);
    const auto gone = connections.forget_silent(now, leases_of_silence * settings.lease);
    for (const std::uint64_t number : gone) outbox.forget({Channel::control, number});
  }
}

void RouterCore::expire(Instant now) {
  while (!deadlines.empty() && deadlines.begin()->first.first <= now) {
    JobRecord& record = *deadlines.begin()->second;
    deadlines.erase(deadlines.begin());
    // A running attempt may end late; a waiting job has missed its deadline.
    if (record.state == JobState::queued) {
      fail(now, record, Reason::deadline, "its deadline passed while it waited");
    }
  }
  while (JobRecord* record = queue.overdue(now)) {
    const Reason reason = queue.waits_for(*record).value_or(Reason::queue_slo);
    fail(now, *record, reason,
         fmt::format("waited {} s, the longest that its rule allows",
                     to_seconds(now - record->wait_began())));
  }
}

void RouterCore::end_back_offs(Instant now) {
  while (!back_offs.empty() && back_offs.begin()->first <= now) {
    queue.wake_model(back_offs.begin()->second);
    back_offs.erase(back_offs.begin());
  }
}

Instant RouterCore::next_deadline() const {
  if (more_to_decide) return ticked;
  Instant next = std::min(failure_detector.next_sweep(), next_summary);
  if (!deadlines.empty()) next = std::min(next, deadlines.begin()->first.first);
  next = std::min({next, queue.next_overdue(), caps.next_end(), conditions.next_end(),
                   outlier_detector.next_deadline()});
  next = std::min({next, next_cancel, preemptions.next_end()});
  if (!back_offs.empty()) next = std::min(next, back_offs.begin()->first);
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
    if (auto status = restore_row(row); !status) return status;
  }
  return restored();
}

Status Router::restore_row(const LedgerRow& row) { return core_->restore_row(row); }

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

Outbox Router::take_outbox() { return core_->outbox.take(); }

Summary Router::summary(Instant now) const { return core_->totals.summary(now); }

WhyReply Router::why(Instant now, const std::string& job_prefix) {
  return core_->why(now, job_prefix);
}

std::vector<CandidateStatus> Router::candidates(std::uint64_t decision) const {
  return candidate_statuses(core_->fleet_state, core_->policy,
                            core_->decisions.record_of(decision));
}

const Policy& Router::policy() const { return core_->policy; }

}  // namespace drover::router
