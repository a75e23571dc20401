// Messages from the router, and the agent's replies.
#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "agents/agent_state.h"
#include "fleet/base/version.h"

namespace drover::agents {
namespace {

// A router uses a few dozen models; more is an error, and each takes memory.
constexpr std::size_t cached_specs_max = 1000;

AttemptKey key_of(const Assign& assign) { return {assign.job.id, assign.attempt}; }

}  // namespace

Result<const devices::ModelSpec*> ModelSpecCache::find(const std::string& name,
                                                       const std::string& text) {
  if (!text.empty()) {
    auto parsed = devices::parse_model_spec(text, "model_spec of " + name);
    if (!parsed.ok()) return parsed.error();
    if (cached_.size() >= cached_specs_max && !cached_.contains(name)) {
      return error("model_spec of {}: this connection has sent {} specs already", name,
                   cached_.size());
    }
    if (parsed->id != name) return error("model_spec: found {}, expected {}", parsed->id, name);
    return &cached_.insert_or_assign(name, std::move(*parsed)).first->second;
  }
  const auto carried = cached_.find(name);
  if (carried != cached_.end()) return &carried->second;
  const auto entry = catalogue_.model(name);
  if (!entry.ok()) return error("this connection has sent no spec of {}", name);
  return &(*entry)->spec;
}

void Agent::State::renew(Instant now) {
  if (next_heartbeat == never) return;  // not joined yet
  const bool was_lapsed = lease_expired;
  renew_lease(now);
  if (was_lapsed) resend_results(now);
}

void Agent::State::renew_lease(Instant now) {
  lease_end = lease.count() > 0 ? saturating_add(now, lease) : never;
  lease_expired = false;
}

void Agent::State::send_register(Instant now, Instant asked_at) {
  Register registration;
  registration.asked_at = asked_at;
  registration.host = settings.host;
  registration.rack = settings.rack;
  registration.site = settings.site;
  registration.labels = settings.labels;
  registration.incarnation = settings.incarnation;
  registration.software = software_name;
  registration.ambient_c = settings.ambient_c;
  registration.specs = plan.specs;
  registration.groups = plan.groups;
  for (Group& group : registration.groups) {
    group.power_cap_w = executor.chassis().power_cap_w(group.first);
  }
  registration.replicas = executor.replicas();
  for (Replica& replica : registration.replicas) {
    reported[replica.id.number] = replica;
    replica.started_by_router = started_by_router.contains(replica.id.number);
  }
  std::set<AttemptKey> held;
  for (const AttemptKey& key : executor.held()) held.insert(key);
  for (const auto& [key, message] : results.all()) held.insert(key);
  for (const AttemptKey& key : held) registration.held.push_back({key.job, key.attempt});
  registration.faults = faults.requested();
  send(now, std::move(registration));
  report_unusable(now);
  for (MemberStepTime& step_time : executor.member_step_times()) send(now, step_time);
  announce_reclaim(now);
  resend_results(now);
}

void Agent::State::resend_results(Instant now) {
  for (const auto& [key, message] : results.all()) send(now, message);
}

void Agent::State::handle(Instant now, const Reregister& wanted) {
  if (next_heartbeat == never) return;
  models.forget();  // a router that does not know us has sent no specs
  renew_lease(now);
  send_register(now, wanted.fleet_time);
}

void Agent::State::handle(Instant now, const Superseded&) {
  superseded = true;
  outbox.emplace_back(Replaced{});
  executor.stop_all(now, Reason::unhealthy, "superseded");
  executor.take_changes();
}

/// Whether the attempt needs no new run: it runs already, has ended, or a newer one is here.
bool Agent::State::reply_if_held(Instant now, const Assign& assign) {
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
                      fmt::format("attempt {} arrived after the newer attempt {}", key.attempt,
                                  newest)});
    return true;
  }
  // The router has given up the older attempt: it must not run beside the newer one.
  if (running) executor.cancel(now, {key.job, *running}, Reason::cancelled, true);
  return false;
}

void Agent::State::handle(Instant now, const Assign& assign) {
  if (!reply_if_held(now, assign)) run(now, assign);
  report_changes(now);
}

std::optional<Refusal> Agent::State::start(Instant now, const Assign& assign) {
  if (lease_expired || next_heartbeat == never) return Refusal{Reason::unhealthy, "lease expired"};
  if (results.full())
    return Refusal{Reason::capacity, "too many results wait for the router to store them"};
  if (assign.job.work.kind != WorkKind::train) {
    // The replica has its model; a spec in the message is kept for later assignments.
    if (!assign.model_spec.empty()) (void)models.find(assign.job.work.model, assign.model_spec);
    const auto gone = assign.replica ? lost.find(*assign.replica) : lost.end();
    if (gone != lost.end()) return Refusal{Reason::unhealthy, gone->second.detail};
    return executor.serve(now, assign);
  }
  const auto model = models.find(assign.job.work.model, assign.model_spec);
  if (!model.ok()) return Refusal{Reason::invalid, model.error().message};
  return executor.train(now, assign, **model);
}

void Agent::State::run(Instant now, const Assign& assign) {
  const AttemptKey key = key_of(assign);
  if (const auto refusal = start(now, assign)) {
    send(now, Refused{key.job, key.attempt, refusal->reason, refusal->detail});
  } else {
    send(now, Accepted{key.job, key.attempt});
  }
}

void Agent::State::handle(Instant now, const GangStepTime& step_time) {
  executor.set_gang_step(now, {step_time.job, step_time.attempt}, step_time.step_s);
  report_changes(now);
}

void Agent::State::handle(Instant now, const Cancel& cancel) {
  const AttemptKey key{cancel.job, cancel.attempt};
  if (executor.cancel(now, key, cancel.reason)) {
    report_changes(now);
  } else if (const Message* result = results.find(key)) {
    send(now, *result);
  } else {
    send(now, Failed{key.job, key.attempt, settings.incarnation, cancel.reason,
                     "this agent does not hold the attempt", Usage{}});
  }
}

void Agent::State::handle(Instant, const ResultStored& stored) {
  results.stored({stored.job, stored.attempt});
  if (left && results.all().empty()) outbox.emplace_back(Left{});
}

void Agent::State::handle(Instant now, const StartReplica& start) {
  if (const auto standing = executor.replica(start.number)) {  // a repeated message
    report_replica(now, *standing);
    return;
  }
  const auto model = models.find(start.model, start.model_spec);
  if (!model.ok()) {
    const Refusal refusal{Reason::invalid, model.error().message};
    send(now, ReplicaReport{refused_replica(settings.host, start, refusal)});
    return;
  }
  lost.erase(start.number);  // the router has another one in its place
  started_by_router.insert(start.number);
  executor.start_replica(now, start, **model, false);
  report_changes(now);
}

void Agent::State::handle(Instant now, const CapDevices& cap) {
  for (const std::uint16_t device : cap.devices) {
    if (device >= plan.devices.size()) continue;
    const double made_for_w = plan.devices[device].spec->power.tdp_w;
    executor.set_power_cap(now, device, cap.watts > 0 ? cap.watts : made_for_w);
  }
  report_changes(now);
}

void Agent::State::handle(Instant now, const RetireReplica& retire) {
  lost.erase(retire.number);
  if (executor.retire_replica(now, retire.number)) {
    report_changes(now);
    return;
  }
  Replica gone;
  gone.id = {settings.host, retire.number};
  gone.state = ReplicaState::gone;
  gone.detail = "no such replica on this host";
  send(now, ReplicaReport{std::move(gone)});
}

}  // namespace drover::agents
