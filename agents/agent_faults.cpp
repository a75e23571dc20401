// Starts and ends of faults: reports on devices, replicas to reload, and hosts that are lost and
// restarted.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/agent_state.h"

namespace drover::agents {

void Agent::State::handle(Instant now, const ApplyFault& apply) {
  if (next_heartbeat == never) return;  // not joined: no report would arrive
  const std::vector<Incident> incidents = faults.apply(now, apply);
  if (faults.host_lost()) return lose_host(now);
  for (const Incident& incident : incidents) apply_incident(now, incident);
  if (apply.fault.kind == FaultKind::reclaim) announce_reclaim(now);
  apply_fault_effects(now);
}

/// Repeated after each Register: a router must not place new work on this host.
void Agent::State::announce_reclaim(Instant now) {
  const auto at = faults.reclaimed_at();
  if (!at) return;
  const auto held = static_cast<std::uint32_t>(executor.held().size());
  send(now, Leave{"reclaimed by the cloud provider", held, std::max(*at - now, Duration(1))});
}

/// The notice is over. Running work is returned with its last checkpoint; then the host is lost.
void Agent::State::complete_reclaim(Instant now) {
  executor.stop_all(now, Reason::drain, fmt::format("{} was reclaimed", settings.host));
  report_changes(now);
  if (next_heartbeat != never && !lease_expired)
    send(now, Leave{"reclaimed by the cloud provider", 0, {}});
  lose_host(now);
}

void Agent::State::apply_incident(Instant now, const Incident& incident) {
  const bool still_usable = executor.report(incident.device).usable;
  send(now, DeviceReport{incident.device, still_usable, incident.xid, incident.detail});
  if (!incident.work_fails) return;
  const std::string detail =
      fmt::format("device {}/{}: {}", settings.host, incident.device, incident.detail);
  note_lost(incident.device, detail);
  executor.fail_work(now, incident.device, Reason::unhealthy, detail);
}

/// Spontaneous faults. They happen whether or not the router can be reached.
void Agent::State::start_spontaneous_faults(Instant at) {
  for (const ApplyFault& apply : coming_faults.take(at)) {
    const std::vector<Incident> incidents = faults.apply(at, apply, FaultOrigin::spontaneous);
    if (host_down) continue;
    if (faults.host_lost()) {
      lose_host(at);
      continue;
    }
    if (next_heartbeat != never) {
      for (const Incident& incident : incidents) apply_incident(at, incident);
    }
  }
  apply_fault_effects(at);
}

/// Applies the combined effects of the faults in force to the devices.
void Agent::State::apply_fault_effects(Instant now) {
  std::vector<FaultEffect> conditions;
  for (std::size_t at = 0; at < plan.devices.size(); ++at) {
    const auto device = static_cast<std::uint16_t>(at);
    conditions.push_back(faults.effect_on(device));
    const std::string& why = conditions.back().unusable;
    if (!why.empty()) {
      note_lost(device, fmt::format("device {}/{}: {}", settings.host, device, why));
    }
  }
  executor.set_fault_effects(now, conditions);
  if (faults.inlet_k() != inlet_k) {
    inlet_k = faults.inlet_k();
    executor.set_inlet(now, settings.ambient_c + inlet_k);
  }
  executor.set_airflow(now, faults.airflow());
  if (!host_down) reload_replicas(now);
  report_changes(now);
}

void Agent::State::end_faults(Instant at) {
  faults.end(at);
  if (!host_down && faults.host_lost()) return complete_reclaim(at);
  apply_fault_effects(at);
  if (host_down && !faults.host_lost()) restart_host(at);
}

// Replicas.

/// Records that the replica on a device is about to be lost to a fault.
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

/// Reloads lost replicas of the host's own plan whose devices are all usable again, unless the
/// router has placed something else there.
void Agent::State::reload_replicas(Instant now) {
  for (auto next = lost.begin(); next != lost.end();) {
    if (!usable(next->second.devices)) {
      ++next;
      continue;
    }
    const PlannedReplica* planned = next->second.planned;
    next = lost.erase(next);
    if (planned != nullptr && free(planned->start.devices)) {
      started_by_router.erase(planned->start.number);
      executor.start_replica(now, planned->start, *planned->model, false);
    }
  }
}

// Loss and restart of the host.

/// As if the agent had been killed: drops all work without reports.
void Agent::State::lose_host(Instant now) {
  host_down = true;
  outbox.emplace_back(HostDown{});
  executor.drop_all(now);
  results = UnacknowledgedResults{};
  reported.clear();
  started_by_router.clear();
  lost.clear();
  delayed.clear();
  apply_fault_effects(now);
}

/// The agent restarts with another incarnation and cold replicas; the values of JoinAccepted still
/// apply.
void Agent::State::restart_host(Instant at) {
  host_down = lease_expired = false;
  outbox.emplace_back(HostUp{});
  const Incarnation before = settings.incarnation;
  RandomStream random =
      RandomStream(settings.seed).child(settings.host).child("next life").child(before.high);
  random = random.child(before.low);
  settings.incarnation = generate_incarnation(random);
  counters = Heartbeat{};
  counters.incarnation = settings.incarnation;
  models.forget();
  sampler = Sampler(settings.sample_every, settings.sample_every_min);
  for (const PlannedReplica& planned : plan.replicas) {
    const StartReplica& start = planned.start;
    if (usable(start.devices)) {
      executor.start_replica(at, start, *planned.model, false);
    } else {
      lost[start.number] = {start.devices, "one of its devices is unusable", &planned};
    }
  }
  executor.take_changes();  // Register contains them
  next_heartbeat = saturating_add(at, heartbeat_every);
  renew_lease(at);
  sampler.begin(at);
  send_register(at);
}

/// Sent after each Register, which does not contain it.
void Agent::State::report_unusable(Instant at) {
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    DeviceReport report = executor.report(static_cast<std::uint16_t>(device));
    if (!report.usable) send(at, std::move(report));
  }
}

}  // namespace drover::agents
