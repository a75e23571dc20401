// Time. The agent's own events (ends of steps, controls of the chassis, heartbeats, samples, the
// end of the lease) happen at their exact instants, however late `tick` comes: it goes through them
// in order and stamps each message with its event's instant. So more ticks change nothing.
//
// Order of events at one instant: physics and work, then the lease, then heartbeat, then samples.
#include "agents/agent.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agents/carried_models.h"
#include "agents/executor.h"
#include "agents/host_plan.h"
#include "agents/results.h"
#include "agents/sampler.h"

namespace drover::agents {
namespace {

constexpr const char* software = "drover 0.1.0";

AttemptKey key_of(const Assign& assign) { return {assign.job.id, assign.attempt}; }

}  // namespace

struct Agent::State {
  State(AgentSettings given, const devices::Catalogue& known, Instant start);

  // What the router says.
  void handle(Instant now, const Heartbeat&) { renew(now); }
  void handle(Instant now, const HelloWanted&);
  void handle(Instant now, const Superseded&);
  void handle(Instant now, const Assign& assign);
  void handle(Instant now, const Cancel& cancel);
  void handle(Instant now, const ResultStored& stored);
  void handle(Instant now, const StartReplica& start);
  void handle(Instant now, const RetireReplica& retire);
  template <typename Other>
  void handle(Instant, const Other&) {}  // not for agents

  Instant monotone(Instant now) { return latest = std::max(latest, now); }
  void renew(Instant now);
  void hold_lease(Instant now);
  void say_hello(Instant now);
  void send_kept(Instant now);
  void run(Instant now, const Assign& assign);
  bool answer_held(Instant now, const Assign& assign);

  // What time brings.
  Instant next_deadline() const;
  void advance(Instant at);
  void end_lease(Instant at);
  void leave(Instant now, const std::string& why);
  void heartbeat(Instant at);
  void sample(Instant at);
  void report_changes(Instant at, bool tell = true);

  void send(Instant at, Message body);
  void send_samples(Instant at, SampleBatch batch);

  AgentSettings settings;
  HostPlan plan;
  Executor executor;
  KeptResults results;
  Sampler sampler;
  CarriedModels models;
  std::map<std::uint32_t, Replica> reported;  // as last reported

  Instant latest;  // a router that comes back may tell an earlier time; ours never goes back
  Duration heartbeat_every{};
  Duration lease{};
  Instant next_heartbeat = never;
  Instant lease_end = never;
  bool lapsed = false;  // the lease has ended and was not renewed
  bool superseded = false;
  bool left = false;
  bool ended() const { return superseded || left; }
  Heartbeat counters;
  std::uint64_t control_sequence = 0;
  std::uint64_t samples_sequence = 0;
  Outbox outbox;
};

Agent::State::State(AgentSettings given, const devices::Catalogue& known, Instant start)
    : settings(std::move(given)),
      plan(plan_host(settings, known)),
      executor(settings.host, plan.devices, devices::Ambient{settings.ambient_c},
               Dice(settings.seed).child(settings.host), start),
      sampler(settings.sample_every, settings.sample_every_min),
      models(known),
      latest(start) {
  counters.incarnation = settings.incarnation;
  for (const PlannedReplica& replica : plan.replicas) {
    executor.start_replica(start, replica.start, *replica.model, true);
  }
  report_changes(start, false);
}

void Agent::State::send(Instant at, Message body) {
  outbox.sends.push_back(
      {router_peer, {settings.host, ++control_sequence, at, std::move(body)}, 0});
}

void Agent::State::send_samples(Instant at, SampleBatch batch) {
  outbox.sends.push_back(
      {samples_peer, {settings.host, ++samples_sequence, at, std::move(batch)}, 0});
  ++counters.samples_sent;
}

// ---- What the router says ----------------------------------------------------------------------

void Agent::State::renew(Instant now) {
  if (next_heartbeat == never) return;  // not welcomed yet
  const bool was_lapsed = lapsed;
  hold_lease(now);
  if (was_lapsed) send_kept(now);
}

void Agent::State::hold_lease(Instant now) {
  lease_end = lease.count() > 0 ? saturating_add(now, lease) : never;
  lapsed = false;
}

void Agent::State::say_hello(Instant now) {
  Hello hello;
  hello.host = settings.host;
  hello.rack = settings.rack;
  hello.site = settings.site;
  hello.labels = settings.labels;
  hello.incarnation = settings.incarnation;
  hello.software = software;
  hello.ambient_c = settings.ambient_c;
  hello.specs = plan.specs;
  hello.groups = plan.groups;
  for (Group& group : hello.groups) {
    group.power_cap_w = executor.chassis().power_cap_w(group.first);
  }
  hello.replicas = executor.replicas();
  for (const Replica& replica : hello.replicas) reported[replica.id.number] = replica;
  std::set<AttemptKey> held;
  for (const AttemptKey& key : executor.held()) held.insert(key);
  for (const auto& [key, message] : results.all()) held.insert(key);
  for (const AttemptKey& key : held) hello.held.push_back({key.job, key.attempt});
  send(now, std::move(hello));
  send_kept(now);
}

void Agent::State::send_kept(Instant now) {
  for (const auto& [key, message] : results.all()) send(now, message);
}

void Agent::State::handle(Instant now, const HelloWanted&) {
  if (next_heartbeat == never) return;
  models.forget();  // a router that forgot us has carried no spec yet
  hold_lease(now);
  say_hello(now);
}

void Agent::State::handle(Instant now, const Superseded&) {
  superseded = true;
  executor.stop_all(now, Reason::unhealthy, "superseded");
  executor.take_changes();
}

/// True when the attempt needs no new run: it runs already, has ended, or a newer one is here.
bool Agent::State::answer_held(Instant now, const Assign& assign) {
  const AttemptKey key = key_of(assign);
  if (executor.holds(key)) {
    send(now, Accepted{key.job, key.attempt});
    return true;
  }
  if (const Message* result = results.find(key)) {
    send(now, *result);
    return true;
  }
  const auto running = executor.attempt_of(key.job);
  const auto ended = results.attempt_of(key.job);
  const std::uint32_t newest = std::max(running.value_or(0), ended.value_or(0));
  if (newest > key.attempt) {
    send(now, Refused{key.job, key.attempt, Reason::invalid,
                      fmt::format("attempt {} came after attempt {}", key.attempt, newest)});
    return true;
  }
  // The router has given up the older attempt: it must not run beside the newer one.
  if (running) executor.cancel(now, {key.job, *running}, Reason::cancelled, true);
  return false;
}

void Agent::State::handle(Instant now, const Assign& assign) {
  if (!answer_held(now, assign)) run(now, assign);
  report_changes(now);
}

void Agent::State::run(Instant now, const Assign& assign) {
  const AttemptKey key = key_of(assign);
  std::optional<Refusal> refusal;
  if (lapsed || next_heartbeat == never) {
    refusal = Refusal{Reason::unhealthy, "lease ended"};
  } else if (results.full()) {
    refusal = Refusal{Reason::capacity, "too many results wait to be stored"};
  } else if (assign.job.work.kind != WorkKind::train) {
    // The replica knows its model; a spec that came along is kept for later assignments.
    if (!assign.model_spec.empty()) (void)models.find(assign.job.work.model, assign.model_spec);
    refusal = executor.serve(now, assign);
  } else if (const auto model = models.find(assign.job.work.model, assign.model_spec); model.ok()) {
    refusal = executor.train(now, assign, **model);
  } else {
    refusal = Refusal{Reason::invalid, model.error().message};
  }
  if (refusal) {
    send(now, Refused{key.job, key.attempt, refusal->reason, refusal->detail});
  } else {
    send(now, Accepted{key.job, key.attempt});
  }
}

void Agent::State::handle(Instant now, const Cancel& cancel) {
  const AttemptKey key{cancel.job, cancel.attempt};
  if (executor.cancel(now, key, cancel.reason)) {
    report_changes(now);
  } else if (const Message* result = results.find(key)) {
    send(now, *result);
  } else {
    send(now, Failed{key.job, key.attempt, settings.incarnation, cancel.reason, "not held here",
                     Usage{}});
  }
}

void Agent::State::handle(Instant, const ResultStored& stored) {
  results.stored({stored.job, stored.attempt});
}

void Agent::State::handle(Instant now, const StartReplica& start) {
  if (const auto standing = executor.replica(start.number)) {  // said twice
    send(now, ReplicaReport{*standing});
    return;
  }
  const auto model = models.find(start.model, start.model_spec);
  if (model.ok()) {
    executor.start_replica(now, start, **model, false);
    report_changes(now);
    return;
  }
  Replica gone;
  gone.id = {settings.host, start.number};
  gone.model = start.model;
  gone.precision = start.precision;
  gone.devices = start.devices;
  gone.state = ReplicaState::gone;
  gone.detail = fmt::format("{}: {}", to_text(Reason::invalid), model.error().message);
  send(now, ReplicaReport{std::move(gone)});
}

void Agent::State::handle(Instant now, const RetireReplica& retire) {
  if (executor.retire_replica(now, retire.number)) {
    report_changes(now);
    return;
  }
  Replica gone;
  gone.id = {settings.host, retire.number};
  gone.state = ReplicaState::gone;
  gone.detail = "no such replica here";
  send(now, ReplicaReport{std::move(gone)});
}

// ---- What time brings --------------------------------------------------------------------------

Instant Agent::State::next_deadline() const {
  if (ended()) return never;
  return std::min(
      {executor.next_event(), lapsed ? never : lease_end, next_heartbeat, sampler.next_due()});
}

/// Everything that is due at this instant. REQUIRES at <= next_deadline().
void Agent::State::advance(Instant at) {
  executor.advance(at);
  report_changes(at);
  if (!lapsed && lease_end <= at) end_lease(at);
  if (next_heartbeat <= at) heartbeat(at);
  if (sampler.next_due() <= at) sample(at);
}

/// The router may give this host's work to others from now on: it must not run here any longer. The
/// failures are kept for the day when the router is heard again.
void Agent::State::end_lease(Instant at) {
  lapsed = true;
  executor.stop_all(at, Reason::unhealthy, "lease ended");
  report_changes(at, false);
}

/// All that ended goes out once more between the two: what a lapsed lease kept back was never sent,
/// and of the rest the router takes each only once.
void Agent::State::leave(Instant now, const std::string& why) {
  left = true;
  executor.stop_all(now, Reason::drain, fmt::format("{} leaves: {}", settings.host, why));
  report_changes(now, false);
  if (next_heartbeat == never) return;  // there is no router that knows of us
  const auto held = static_cast<std::uint32_t>(results.all().size());
  if (held > 0) send(now, Leave{why, held});
  send_kept(now);
  send(now, Leave{why, 0});
}

void Agent::State::heartbeat(Instant at) {
  next_heartbeat = saturating_add(next_heartbeat, heartbeat_every);
  counters.samples_thinned = sampler.thinned();
  send(at, counters);
  for (Progress& progress : executor.progress(at)) send(at, progress);
  for (Replica& replica : executor.replicas()) {
    Replica& last = reported[replica.id.number];
    if (replica == last) continue;
    last = replica;
    send(at, ReplicaReport{std::move(replica)});
  }
}

void Agent::State::sample(Instant at) {
  std::vector<Sample> rows;
  const std::size_t count = plan.devices.size();
  for (std::size_t device = 0; device < count; ++device) {
    rows.push_back(executor.reading(at, static_cast<std::uint16_t>(device)));
    if (rows.size() == batch_rows_max || device + 1 == count) {
      send_samples(at, pack(settings.host, rows));
      rows.clear();
    }
  }
  sampler.taken();
}

/// Ended attempts and changed replicas go out; without `tell` they are only remembered.
void Agent::State::report_changes(Instant at, bool tell) {
  for (Executor::Change& change : executor.take_changes()) {
    if (const auto* ended = std::get_if<EndedAttempt>(&change)) {
      const Message& message = results.keep(*ended, settings.incarnation);
      if (tell && !lapsed) send(at, message);
      continue;
    }
    Replica& replica = std::get<Replica>(change);
    if (replica.state == ReplicaState::gone) {
      reported.erase(replica.id.number);
    } else {
      reported[replica.id.number] = replica;
    }
    if (next_heartbeat != never) send(at, ReplicaReport{std::move(replica)});
  }
}

// ---- The core ----------------------------------------------------------------------------------

Agent::Agent(AgentSettings settings, const devices::Catalogue& catalogue, Instant start) {
  DROVER_REQUIRE(check(settings, catalogue).ok());
  state_ = std::make_unique<State>(std::move(settings), catalogue, start);
}

Agent::~Agent() = default;

void Agent::welcomed(Instant now, const Welcome& welcome) {
  now = state_->monotone(now);
  tick(now);
  State& state = *state_;
  if (state.ended()) return;
  const bool first = state.next_heartbeat == never;
  if (first || state.heartbeat_every != welcome.heartbeat_every) {
    state.heartbeat_every =
        std::max(welcome.heartbeat_every, Duration(std::chrono::milliseconds(1)));
    state.next_heartbeat = saturating_add(now, state.heartbeat_every);
  }
  state.lease = welcome.lease;
  state.models.forget();
  state.hold_lease(now);
  state.sampler.begin(now);
  state.say_hello(now);
}

void Agent::receive(Instant now, const Envelope& envelope) {
  now = state_->monotone(now);
  tick(now);
  const bool stored = std::holds_alternative<ResultStored>(envelope.body);
  if (state_->superseded || (state_->left && !stored)) return;
  std::visit([&](const auto& body) { state_->handle(now, body); }, envelope.body);
}

void Agent::tick(Instant now) {
  now = state_->monotone(now);
  for (Instant due = next_deadline(); due <= now && due != never; due = next_deadline()) {
    state_->advance(due);
  }
}

Instant Agent::next_deadline() const { return state_->next_deadline(); }

Outbox Agent::take_outbox() { return std::exchange(state_->outbox, Outbox{}); }

void Agent::leave(Instant now, const std::string& why) {
  now = state_->monotone(now);
  tick(now);
  if (!state_->ended()) state_->leave(now, why);
}

std::size_t Agent::unstored() const { return state_->results.all().size(); }

bool Agent::superseded() const { return state_->superseded; }

void Agent::count_undecodable() { ++state_->counters.undecodable; }

}  // namespace drover::agents
