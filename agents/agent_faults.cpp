// Faults as they come and go: what an agent says of its devices, which replicas it loads again, and
// the lives of a host that was lost.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/agent_state.h"

namespace drover::agents {

void Agent::State::handle(Instant now, const ApplyFault& apply) {
  if (next_heartbeat == never) return;  // not welcomed: nobody could be told
  const std::vector<Incident> incidents = faults.hear(now, apply);
  if (faults.host_lost()) return fall_silent(now);
  for (const Incident& incident : incidents) happen(now, incident);
  if (apply.fault.kind == FaultKind::reclaim) warn_of_reclaim(now);
  follow_faults(now);
}

/// Said again after each Hello: who hears it must not give this host new work.
void Agent::State::warn_of_reclaim(Instant now) {
  const auto at = faults.reclaimed_at();
  if (!at) return;
  const auto held = static_cast<std::uint32_t>(executor.held().size());
  send(now, Leave{"reclaimed by its cloud", held, std::max(*at - now, Duration(1))});
}

/// The notice is over. Whatever ran until now is given back with its last checkpoint; then the host
/// is gone.
void Agent::State::go_reclaimed(Instant now) {
  executor.stop_all(now, Reason::drain, fmt::format("{} was reclaimed", settings.host));
  report_changes(now);
  if (next_heartbeat != never && !lapsed) send(now, Leave{"reclaimed by its cloud", 0, {}});
  fall_silent(now);
}

void Agent::State::happen(Instant now, const Incident& incident) {
  const bool still_usable = executor.report(incident.device).usable;
  send(now, DeviceReport{incident.device, still_usable, incident.xid, incident.detail});
  if (!incident.work_fails) return;
  const std::string detail =
      fmt::format("device {}/{}: {}", settings.host, incident.device, incident.detail);
  note_lost(incident.device, detail);
  executor.fail_work(now, incident.device, Reason::unhealthy, detail);
}

/// Faults that come by themselves. They befall a host whether or not anybody could be told.
void Agent::State::meet_faults(Instant at) {
  for (const ApplyFault& apply : coming_faults.take(at)) {
    const std::vector<Incident> incidents = faults.hear(at, apply, Cause::by_itself);
    if (silent) continue;
    if (faults.host_lost()) {
      fall_silent(at);
      continue;
    }
    if (next_heartbeat != never) {
      for (const Incident& incident : incidents) happen(at, incident);
    }
  }
  follow_faults(at);
}

/// Brings the devices to what the faults in force come to.
void Agent::State::follow_faults(Instant now) {
  std::vector<Condition> conditions;
  for (std::size_t at = 0; at < plan.devices.size(); ++at) {
    const auto device = static_cast<std::uint16_t>(at);
    conditions.push_back(faults.condition(device));
    const std::string& why = conditions.back().unusable;
    if (!why.empty()) {
      note_lost(device, fmt::format("device {}/{}: {}", settings.host, device, why));
    }
  }
  executor.set_conditions(now, conditions);
  if (faults.inlet_k() != inlet_k) {
    inlet_k = faults.inlet_k();
    executor.set_inlet(now, settings.ambient_c + inlet_k);
  }
  executor.set_airflow(now, faults.airflow());
  if (!silent) load_again(now);
  report_changes(now);
}

void Agent::State::end_faults(Instant at) {
  faults.end(at);
  if (!silent && faults.host_lost()) return go_reclaimed(at);
  follow_faults(at);
  if (silent && !faults.host_lost()) begin_life(at);
}

// ---- Replicas ----------------------------------------------------------------------------------

/// The replica on a device is about to go, and not because it was to.
void Agent::State::note_lost(std::uint16_t device, const std::string& detail) {
  const auto number = executor.replica_on(device);
  if (!number) return;
  const Replica replica = *executor.replica(*number);
  if (replica.state == ReplicaState::draining) return;
  LostReplica gone{replica.devices, detail, nullptr};
  for (const PlannedReplica& planned : plan.replicas) {
    const StartReplica& start = planned.start;
    if (start.number == *number && start.model == replica.model &&
        start.devices == replica.devices) {
      gone.planned = &planned;
    }
  }
  lost.insert_or_assign(*number, std::move(gone));
}

bool Agent::State::usable(const std::vector<std::uint16_t>& devices) const {
  return std::all_of(devices.begin(), devices.end(),
                     [&](std::uint16_t device) { return executor.report(device).usable; });
}

bool Agent::State::free(const std::vector<std::uint16_t>& devices) const {
  return std::all_of(devices.begin(), devices.end(),
                     [&](std::uint16_t device) { return executor.free(device); });
}

/// Of the replicas whose devices can all be used again, those that the host was started with; not
/// where the router has put something else meanwhile.
void Agent::State::load_again(Instant now) {
  for (auto next = lost.begin(); next != lost.end();) {
    if (!usable(next->second.devices)) {
      ++next;
      continue;
    }
    const PlannedReplica* planned = next->second.planned;
    next = lost.erase(next);
    if (planned != nullptr && free(planned->start.devices)) {
      asked_for.erase(planned->start.number);
      executor.start_replica(now, planned->start, *planned->model, false);
    }
  }
}

// ---- A host that is lost and comes back --------------------------------------------------------

/// As if the agent had been killed: all work is dropped, nothing is said.
void Agent::State::fall_silent(Instant now) {
  silent = true;
  executor.drop_all(now);
  results = KeptResults{};
  reported.clear();
  asked_for.clear();
  lost.clear();
  delayed.clear();
  follow_faults(now);
}

/// The agent has been started again: another incarnation, its replicas cold, what the router said
/// in its Welcome still true.
void Agent::State::begin_life(Instant at) {
  silent = lapsed = false;
  const Incarnation before = settings.incarnation;
  Dice dice = Dice(settings.seed).child(settings.host).child("next life").child(before.high);
  dice = dice.child(before.low);
  settings.incarnation = draw_incarnation(dice);
  counters = Heartbeat{};
  counters.incarnation = settings.incarnation;
  models.forget();
  sampler = Sampler(settings.sample_every, settings.sample_every_min);
  for (const PlannedReplica& planned : plan.replicas) {
    const StartReplica& start = planned.start;
    if (usable(start.devices)) {
      executor.start_replica(at, start, *planned.model, false);
    } else {
      lost[start.number] = {start.devices, "a device cannot be used", &planned};
    }
  }
  executor.take_changes();  // the Hello tells of them
  next_heartbeat = saturating_add(at, heartbeat_every);
  hold_lease(at);
  sampler.begin(at);
  say_hello(at);
}

/// After each Hello, which does not tell.
void Agent::State::report_unusable(Instant at) {
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    DeviceReport report = executor.report(static_cast<std::uint16_t>(device));
    if (!report.usable) send(at, std::move(report));
  }
}

}  // namespace drover::agents
