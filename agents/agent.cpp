// Timed events. The agent's own events (ends of steps, controls of the chassis, heartbeats,
// samples, the end of the lease) happen at their exact instants, however late `tick` comes: it
// processes them in order and stamps each message with its event's instant. So extra ticks change
// nothing.
//
// Order of events at one instant: physics and work, then ends of faults and new ones, then the
// lease, then heartbeat, then samples.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/agent_state.h"
#include "fleet/base/overloaded.h"

namespace drover::agents {
namespace {

std::vector<FaultState::Device> devices_of(const HostPlan& plan) {
  std::vector<FaultState::Device> devices;
  for (const Executor::Device& device : plan.devices) {
    devices.push_back({device.group, device.spec->device_class});
  }
  return devices;
}

}  // namespace

Agent::State::State(AgentSettings given, const devices::Catalogue& known, Instant start)
    : settings(std::move(given)),
      plan(plan_host(settings, known)),
      executor(settings.host, plan.devices, devices::Ambient{settings.ambient_c},
               RandomStream(settings.seed).child(settings.host), start),
      sampler(settings.sample_every, settings.sample_every_min),
      models(known),
      faults(devices_of(plan)),
      coming_faults(devices_of(plan), settings.fault_rate,
                    RandomStream(settings.seed).child(settings.host).child("faults"), start),
      latest(start) {
  counters.incarnation = settings.incarnation;
  for (const PlannedReplica& replica : plan.replicas) {
    executor.start_replica(start, replica.start, *replica.model, true);
  }
  report_changes(start, false);
}

void Agent::State::send(Instant at, Message body) {
  outbox.push_back(Send{router_peer, {settings.host, ++control_sequence, at, std::move(body)}, 0});
}

void Agent::State::send_samples(Instant at, SampleBatch batch) {
  outbox.push_back(
      Send{samples_peer, {settings.host, ++samples_sequence, at, std::move(batch)}, 0});
  ++counters.samples_sent;
}

// Timed events.

Instant Agent::State::next_deadline() const {
  if (ended()) return never;
  const Instant physics =
      std::min({executor.next_event(), faults.next_end(), coming_faults.next()});
  if (host_down) return physics;
  const Instant late =
      delayed.empty() ? never : saturating_add(delayed.front().first, settings.sample_delay);
  return std::min(
      {physics, lease_expired ? never : lease_end, next_heartbeat, sampler.next_due(), late});
}

/// Handles everything due at this instant. REQUIRES at <= next_deadline().
void Agent::State::advance(Instant at) {
  executor.advance(at);
  report_changes(at);
  if (faults.next_end() <= at) end_faults(at);
  if (coming_faults.next() <= at) start_spontaneous_faults(at);
  if (host_down) return;
  if (!lease_expired && lease_end <= at) end_lease(at);
  if (next_heartbeat <= at) heartbeat(at);
  if (sampler.next_due() <= at) sample(at);
  send_delayed(at);
}

/// From now on the router may place this host's work elsewhere: it must not run here any longer.
/// The failures are kept until the router is reachable again.
void Agent::State::end_lease(Instant at) {
  lease_expired = true;
  executor.stop_all(at, Reason::unhealthy, "lease expired");
  report_changes(at, false, true);
}

void Agent::State::leave(Instant now, const std::string& why) {
  left = true;
  if (!host_down) give_back(now, why);
  if (results.all().empty()) outbox.emplace_back(Left{});
}

/// All results are sent once more between the two Leaves: an expired lease held some back, and the
/// router applies each only once.
void Agent::State::give_back(Instant now, const std::string& why) {
  executor.stop_all(now, Reason::drain, fmt::format("{} leaves: {}", settings.host, why));
  report_changes(now, false);
  if (next_heartbeat == never) return;  // no router knows this host
  const auto held = static_cast<std::uint32_t>(results.all().size());
  if (held > 0) send(now, Leave{why, held});
  resend_results(now);
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
    report_replica(at, std::move(replica));
  }
}

void Agent::State::report_replica(Instant at, Replica replica) {
  replica.started_by_router = started_by_router.contains(replica.id.number);
  send(at, ReplicaReport{std::move(replica)});
}

void Agent::State::sample(Instant at) {
  std::vector<Sample> rows;
  const std::size_t count = plan.devices.size();
  for (std::size_t device = 0; device < count; ++device) {
    const auto index = static_cast<std::uint16_t>(device);
    if (!executor.off_bus(index) && !sample_lost(at, index)) {
      rows.push_back(executor.published(at, index));
    }
    if (rows.size() == batch_rows_max || (device + 1 == count && !rows.empty())) {
      delayed.emplace_back(at, pack(settings.host, rows));
      rows.clear();
    }
  }
  sampler.taken();
}

/// The envelope keeps the time of measurement.
void Agent::State::send_delayed(Instant at) {
  while (!delayed.empty() && saturating_add(delayed.front().first, settings.sample_delay) <= at) {
    send_samples(delayed.front().first, std::move(delayed.front().second));
    delayed.pop_front();
  }
}

/// Drawn separately for each device and instant, so it depends on nothing else.
bool Agent::State::sample_lost(Instant at, std::uint16_t device) const {
  if (settings.sample_loss <= 0) return false;
  RandomStream random =
      RandomStream(settings.seed).child(settings.host).child("sample loss").child(device);
  return random.child(static_cast<std::uint64_t>(at.time_since_epoch().count()))
      .chance(settings.sample_loss);
}

/// Sends ended attempts and changed replicas; without `publish` they are only recorded.
/// `lease_over`: the lease's end is why attempts ended.
void Agent::State::report_changes(Instant at, bool publish, bool lease_over) {
  const bool joined = next_heartbeat != never;
  for (Executor::Change& change : executor.take_changes()) {
    if (host_down) continue;
    std::visit(Overloaded{[&](const EndedAttempt& ended) {
                            const Message& message =
                                results.keep(ended, settings.incarnation, lease_over);
                            if (publish && !lease_expired) send(at, message);
                          },
                          [&](Replica& replica) {
                            if (replica.state == ReplicaState::gone) {
                              reported.erase(replica.id.number);
                            } else {
                              reported[replica.id.number] = replica;
                            }
                            if (joined) report_replica(at, std::move(replica));
                          },
                          [&](const auto& report) {
                            if (joined) send(at, report);
                          }},
               change);
  }
}

// The public interface.

Agent::Agent(AgentSettings settings, const devices::Catalogue& catalogue, Instant start) {
  DROVER_REQUIRE(check(settings, catalogue).ok());
  state_ = std::make_unique<State>(std::move(settings), catalogue, start);
}

Agent::~Agent() = default;

void Agent::handle_join_accepted(Instant now, const JoinAccepted& accepted) {
  now = state_->monotone(now);
  tick(now);
  State& state = *state_;
  if (state.ended()) return;
  const bool first = state.next_heartbeat == never;
  if (first || state.heartbeat_every != accepted.heartbeat_every) {
    state.heartbeat_every =
        std::max(accepted.heartbeat_every, Duration(std::chrono::milliseconds(1)));
    state.next_heartbeat = saturating_add(now, state.heartbeat_every);
  }
  state.lease = accepted.lease;
  if (state.host_down) return;  // it registers when the host is up again
  state.models.forget();
  state.renew_lease(now);
  state.sampler.begin(now);
  state.send_register(now, accepted.fleet_time);
}

void Agent::receive(Instant now, const Envelope& envelope) {
  now = state_->monotone(now);
  tick(now);
  const bool stored = std::holds_alternative<ResultStored>(envelope.body);
  if (state_->superseded || state_->host_down || (state_->left && !stored)) return;
  std::visit([&](const auto& body) { state_->handle(now, body); }, envelope.body);
}

void Agent::tick(Instant now) {
  now = state_->monotone(now);
  for (Instant due = next_deadline(); due <= now && due != never; due = next_deadline()) {
    state_->advance(due);
  }
}

Instant Agent::next_deadline() const { return state_->next_deadline(); }

std::vector<Effect> Agent::take_effects() { return std::exchange(state_->outbox, {}); }

void Agent::leave(Instant now, const std::string& why) {
  now = state_->monotone(now);
  tick(now);
  if (!state_->ended()) state_->leave(now, why);
}

std::vector<HeldAttempt> Agent::running() const {
  std::vector<HeldAttempt> running;
  for (const AttemptKey& key : state_->executor.held()) running.push_back({key.job, key.attempt});
  return running;
}

std::vector<DeviceTruth> Agent::devices(Instant now) const {
  const devices::Chassis& chassis = state_->executor.chassis();
  std::vector<DeviceTruth> devices(state_->plan.devices.size());
  for (std::size_t at = 0; at < devices.size(); ++at) {
    const auto device = static_cast<std::uint16_t>(at);
    const Executor& executor = state_->executor;
    const Sample reading = executor.reading(now, device);
    devices[at] = {
        executor.report(device).usable, executor.off_bus(device),
        reading[Metric::power],         chassis.power_cap_w(at),
        reading[Metric::temperature],   static_cast<std::uint32_t>(reading[Metric::running]),
        executor.replica_on(device),    executor.gang_on(device),
        state_->faults.newest(device)};
  }
  return devices;
}

std::vector<PublishedDevice> Agent::published(Instant now) const {
  const Executor& executor = state_->executor;
  std::vector<PublishedDevice> devices;
  for (const Executor::Device& device : state_->plan.devices) {
    const auto index = static_cast<std::uint16_t>(devices.size());
    devices.push_back({device.spec, executor.published(now, index), executor.off_bus(index),
                       executor.work_on(index)});
  }
  return devices;
}

const ErrorLog& Agent::errors() const { return state_->faults.errors(); }

void Agent::count_undecodable() { ++state_->counters.undecodable; }

}  // namespace drover::agents
