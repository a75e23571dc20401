#include "router/router.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "router/jobs/pool_reports.h"
#include "router/state.h"

namespace drover::router {
namespace {

// One sender of rubbish is worth an event a minute, and one of refused requests a row of the
// ledger.
constexpr double tell_dropped_every_s = 60;

// Connections that never said Hello are forgotten after so many leases of silence.
constexpr int leases_of_silence = 60;

/// What somebody asks for that goes on record before it is done.
bool is_action(const Message& message) {
  return std::holds_alternative<Inject>(message) || std::holds_alternative<SetPowerCap>(message) ||
         std::holds_alternative<SetDrain>(message) || std::holds_alternative<CancelJobs>(message) ||
         std::holds_alternative<ApplyPolicy>(message) ||
         std::holds_alternative<AcknowledgeAlert>(message) ||
         std::holds_alternative<ForgetHost>(message);
}

/// Sends each message to the one place that handles it. Who may say what was asked before.
struct Receiver {
  Core& state;
  Instant now;
  Caller caller;

  void operator()(const Join& join) { state.meet(now, caller, join); }
  void operator()(const Hello& hello) { state.meet(now, caller, hello); }
  void operator()(const Heartbeat& heartbeat) { state.renew_lease(now, caller, heartbeat); }
  void operator()(const Accepted& accepted) { state.started(now, caller, accepted); }
  void operator()(const MemberPace& pace) { state.paced(now, caller, pace); }
  void operator()(const Progress& progress) { state.progressed(now, caller, progress); }
  void operator()(const Refused& refused) { state.refused(now, caller, refused); }
  void operator()(const Finished& finished) { state.ended(now, caller, finished); }
  void operator()(const Failed& failed) { state.ended(now, caller, failed); }
  void operator()(const Leave& leave) { state.leave(now, caller, leave); }
  void operator()(const ReplicaReport& report) { state.apply_report(now, caller, report); }
  void operator()(const Submit& submit) { state.submit(now, caller, submit); }
  void operator()(const JobsRequest& request) { state.answer(now, caller, request); }
  void operator()(const WhyRequest& request) { state.answer(now, caller, request); }
  void operator()(const SnapshotRequest& request) { state.answer(now, caller, request); }
  void operator()(const SummaryRequest& request) { state.answer(now, caller, request); }
  void operator()(const Inject& inject) { state.act(now, caller, inject); }
  void operator()(const SetPowerCap& cap) { state.act(now, caller, cap); }
  void operator()(const SetDrain& said) { state.act(now, caller, said); }
  void operator()(const CancelJobs& jobs) { state.act(now, caller, jobs); }
  void operator()(const ApplyPolicy& policy) { state.act(now, caller, policy); }
  void operator()(const AcknowledgeAlert& asked) { state.act(now, caller, asked); }
  void operator()(const ForgetHost& asked) { state.act(now, caller, asked); }
  void operator()(const PolicyRequest& request) { state.answer(now, caller, request); }
  void operator()(const Caption& caption) { state.take(now, caller, caption); }
  void operator()(const DeviceReport& report) { state.take(now, caller, report); }
  void operator()(const EndRequest&) { state.end_run(now, caller); }
  template <typename Other>
  void operator()(const Other&) {}
};

}  // namespace

Core::Core(RouterSettings router_settings, Policy router_policy,
           const devices::Catalogue& known_specs, Instant start)
    : settings(std::move(router_settings)),
      policy(std::move(router_policy)),
      catalogue(known_specs),
      dice(Dice(settings.seed).child("decisions")),
      roster(settings.roster_limits),
      disk(start, settings.suspect_after),
      health({settings.heartbeat_every, settings.suspect_after, settings.lost_after}, start),
      jobs(settings.retention.ended_jobs, settings.retention.ids),
      accounting(start),
      dropped(from_seconds(tell_dropped_every_s * settings.speed)),
      refusals(from_seconds(tell_dropped_every_s * settings.speed)),
      deferred(from_seconds(tell_dropped_every_s * settings.speed)),
      figures_cut(from_seconds(tell_dropped_every_s * settings.speed)),
      decisions(settings.decisions_kept),
      caps(policy.limits),
      ejections(in_fleet_time(policy.eject, settings.speed), dice.child("ejections")),
      alerts(settings.heartbeat_every),
      begun(start),
      ticked(start),
      next_summary(saturating_add(start, settings.summary_every)),
      next_wake(saturating_add(start, settings.heartbeat_every)),
      next_counters(saturating_add(start, counters_every_heartbeats * settings.heartbeat_every)),
      hosts_awaited_until(saturating_add(start, settings.lost_after)) {
  settle_policy(start);
  begin_policy();
  mail.write(ledger::started(start, settings.speed, settings.software));
}

Status Core::restore_row(const LedgerRow& row) {
  if (!reader) reader.emplace(jobs, accounting);
  return reader->read(row);
}

Status Core::restored() {
  if (!reader) return {};
  if (reader->policy()) {
    if (auto status = adopt_applied(*reader->policy()); !status) return status;
  }
  for (const auto& [host, noted] : reader->host_counts()) {
    host_counts.restore(host, noted.hello.incarnation,
                        {noted.sample_gaps, noted.samples_thinned, noted.undecodable});
  }
  for (const auto& [at, said] : reader->drains()) drains.say(at, said);
  drains.pass_deadlines(begun);  // told in the life in which they passed, or now too late to tell
  next_call_off = drains.next_deadline();
  for (const auto& [at, cap] : reader->power_caps()) {
    // Of a pool that the policy no longer has nothing is left to hold.
    if (check_cap(cap, policy)) caps.set(at, cap);
  }
  reader.reset();
  caps.end(begun);
  change_limits();
  for (const auto& [number, record] : jobs.open()) {
    if (record->deadline() != never) deadlines[{record->deadline(), number}] = record;
    if (record->holds_attempt()) {
      // Whether its agent still runs it only the agent's Hello can tell.
      record->state = JobState::leased;
      awaiting_hosts = true;
      note_class(*record);
    } else {
      note_class(*record);
      enqueue(*record);
    }
  }
  return {};
}

void Core::receive(Instant now, Peer from, const Envelope& envelope, std::string_view key) {
  if (const auto why = refusal(from, envelope.body)) {
    return turn_away(now, {from,
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
    // Nobody can send there: it is what the router's own shell has to tell.
    if (const auto* told = std::get_if<Event>(&envelope.body)) {
      if (told->subject == "ledger") {
        disk.tell(told->severity == Severity::critical ? told->text : "");
      }
      event(now, told->severity, told->subject, told->text);
    } else if (const auto* audit = std::get_if<Audit>(&envelope.body)) {
      put_on_record(now, *audit);
    } else if (const auto* read = std::get_if<ApplyPolicy>(&envelope.body)) {
      reload(now, *read, envelope.sender);
    } else if (std::holds_alternative<Leave>(envelope.body)) {
      for (Audit& line : refusals.take_due(never)) record_refusal(now, std::move(line));
    }
    return;
  }
  const Caller caller{from, hear(now, from.number), key};
  const bool agents_only = speaker_of(envelope.body) == Speaker::agent;
  if (agents_only && !std::holds_alternative<Hello>(envelope.body)) {
    if (caller.entry.host.empty()) return want_hello(now, caller);
    const auto host = roster.find_host(caller.entry.host);
    if (host && health.heard(now, *host)) set_health(now, *host, Health::ok, "heard again");
  }
  if (is_action(envelope.body) && takes_no_writes()) {
    return mail.send(now, from, Problem{"nothing was done: " + disk.words(), true});
  }
  std::visit(Receiver{*this, now, caller}, envelope.body);
}

void Core::tick(Instant now) {
  ticked = std::max(ticked, now);
  disk.look(ticked, mail.uncommitted());
  suggestions_left = suggestions_per_tick;
  sweep(now);
  expire(now);
  end_back_offs(now);
  end_actions(now);
  settle_ejections(now);
  settle_preemptions(now);
  if (now >= next_wake) {
    // Samples change what filters say (heat, staleness, power) without a message that wakes.
    settle_silent(now);
    queue.wake_all();
    next_wake = saturating_add(now, settings.heartbeat_every);
  }
  dispatch(now);
  if (now >= next_summary) {
    hold_caps(now);
    forget_left(now);
    for (Audit& line : refusals.take_due(now)) record_refusal(now, std::move(line));
    watch(now, publish_beat(now));
    pull_levers(now);
    if (now >= next_counters) {
      write_counters(now);
      next_counters = saturating_add(now, counters_every_heartbeats * settings.heartbeat_every);
    }
    next_summary = saturating_add(now, settings.summary_every);
    const auto gone = peers.forget_silent(now, leases_of_silence * settings.lease);
    for (const std::uint64_t number : gone) mail.forget({Channel::control, number});
  }
}

void Core::expire(Instant now) {
  while (!deadlines.empty() && deadlines.begin()->first.first <= now) {
    JobRecord& record = *deadlines.begin()->second;
    deadlines.erase(deadlines.begin());
    // A running attempt may end late; what still waits has missed it.
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

void Core::end_back_offs(Instant now) {
  while (!back_offs.empty() && back_offs.begin()->first <= now) {
    queue.wake_model(back_offs.begin()->second);
    back_offs.erase(back_offs.begin());
  }
}

Instant Core::next_deadline() const {
  if (more_to_decide) return ticked;
  Instant next = std::min(health.next_sweep(), next_summary);
  if (!deadlines.empty()) next = std::min(next, deadlines.begin()->first.first);
  next = std::min({next, queue.next_overdue(), caps.next_end(), conditions.next_end(),
                   ejections.next_deadline()});
  next = std::min({next, next_call_off, preemptions.next_end()});
  if (!back_offs.empty()) next = std::min(next, back_offs.begin()->first);
  if (queue.size() > 0) next = std::min(next, next_wake);
  return next;
}

Summary Core::summary(Instant now) const {
  Summary summary = accounting.summary(now);
  summary.classes = accounting.reports_of(policy.classes);
  summary.queued = queue.size();
  summary.running = jobs.attempts_out();
  summary.queued_for = queue.waiting_by_reason();
  summary.sample_gaps = shown_now(now).sample_gaps;
  summary.estimate_error = estimator.error();
  note_draw(summary);
  summary.budget_usd_per_h = policy.limits.budget_usd_per_h;
  summary.undecodable = dropped.total();
  summary.undecodable_by = dropped.by_sender();
  if (const std::uint64_t earlier = accounting.earlier().undecodable; earlier > 0) {
    summary.undecodable += earlier;
    summary.undecodable_by.push_back({"before this start", earlier});
  }
  return summary;
}

void Core::note_draw(Summary& summary) const {
  summary.power_w = roster.power_w();
  summary.power_reserved_w = roster.promised_w();
  summary.pools = pool_reports(roster, policy, queue.waiting_by_pool());
  summary.spend_usd_per_h = spend_usd_per_h(roster, policy);
}

struct Router::State : Core {
  using Core::Core;
};

Router::Router(RouterSettings settings, Policy policy, const devices::Catalogue& catalogue,
               Instant start)
    : state_(std::make_unique<State>(std::move(settings), std::move(policy), catalogue, start)) {}

Router::~Router() = default;

Status Router::restore(const std::vector<LedgerRow>& rows) {
  for (const LedgerRow& row : rows) {
    if (auto status = restore_row(row); !status) return status;
  }
  return restored();
}

Status Router::restore_row(const LedgerRow& row) { return state_->restore_row(row); }

Status Router::restored() { return state_->restored(); }

void Router::receive(Instant now, Peer from, const Envelope& envelope, std::string_view key) {
  state_->receive(now, from, envelope, key);
}

void Router::turn_away(Instant now, const Dropped& dropped) { state_->turn_away(now, dropped); }

std::optional<std::string> Router::refusal(Peer from, const Envelope& envelope) const {
  return state_->refusal(from, envelope.body);
}

bool Router::speaks_for_host(Peer from) const {
  const PeerEntry* peer = state_->peers.find(from.number);
  return peer != nullptr && !peer->host.empty();
}

void Router::committed(Instant now, std::uint64_t sequence) {
  state_->mail.committed(sequence);
  state_->disk.committed(now);
  state_->publish_totals(now);
}

void Router::tick(Instant now) { state_->tick(now); }

void Router::set_watched(bool watched) { state_->mail.set_watched(watched); }

Instant Router::next_deadline() const { return state_->next_deadline(); }

Outbox Router::take_outbox() { return state_->mail.take(); }

Summary Router::summary(Instant now) const { return state_->summary(now); }

WhyReply Router::why(Instant now, const std::string& job_prefix) {
  return state_->why(now, job_prefix);
}

std::vector<Standing> Router::standings(std::uint64_t decision) const {
  return standings_of(state_->roster, state_->policy, state_->decisions.record_of(decision));
}

const Policy& Router::policy() const { return state_->policy; }

}  // namespace drover::router
