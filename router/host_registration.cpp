// Connections, hosts, their leases, samples and replicas.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "fleet/sample/sample_bounds.h"
#include "router/jobs/plausibility_bounds.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

/// If a clock is off by more than this, the delay of samples is not known.
constexpr Duration sample_lag_max = std::chrono::minutes(2);

std::vector<ReplicaEntry> replicas_of(const FleetState& fleet_state,
                                      std::optional<HostIndex> host) {
  std::vector<ReplicaEntry> replicas;
  if (!host) return replicas;
  for (const ReplicaIndex index : fleet_state.hosts()[*host].replicas) {
    replicas.push_back(fleet_state.replicas()[index]);
  }
  return replicas;
}

void publish_gone(RouterCore& core, Instant now, HostIndex host, std::vector<ReplicaEntry> before) {
  for (ReplicaEntry& entry : before) {
    if (core.fleet_state.find_replica(host, entry.replica.id.number)) continue;
    entry.replica.state = ReplicaState::gone;
    entry.replica.detail = "its host no longer reports it";
    core.replica_controller.reported(now, entry.replica);
    core.publisher.publish_replica(now, entry.replica, entry.group);
  }
}

}  // namespace

void RouterCore::handle(Instant now, Caller caller, const Join& join) {
  if (join.role == Role::agent && !is_name(join.name)) {
    outbox.send(now, caller.peer,
                JoinRejected{fmt::format("host name: found \"{}\", expected 1 to 64 characters of "
                                         "A-Z a-z 0-9 . _ : -",
                                         printable(join.name.substr(0, 80)))});
    return;
  }
  caller.entry.role = join.role;
  // Key names contain no slash, so no client can give itself a label that looks like another's
  // key.
  const bool labelled = !caller.key.empty() && join.role != Role::agent;
  const std::string name = labelled ? fmt::format("{}/{}", caller.key, join.name) : join.name;
  caller.entry.name = printable(name.substr(0, 64));
  JoinAccepted welcome;
  welcome.fleet_time = now;
  welcome.speed = settings.speed;
  welcome.samples_endpoint = settings.samples_endpoint;
  welcome.publish_endpoint = settings.publish_endpoint;
  welcome.heartbeat_every = settings.heartbeat_every;
  welcome.lease = settings.lease;
  welcome.software = settings.software;
  outbox.send_in_order(now, caller.peer, std::move(welcome));
}

void RouterCore::request_register(Instant now, Caller caller) {
  const bool asked = caller.entry.reregister_sent != Instant{};
  if (asked && now - caller.entry.reregister_sent < settings.heartbeat_every) return;
  caller.entry.reregister_sent = now;
  outbox.send_in_order(now, caller.peer, Reregister{now});
}

void RouterCore::handle(Instant now, Caller caller, const Register& registration) {
  if (!caller.entry.host.empty() && caller.entry.host != registration.host) {
    const std::string& host = caller.entry.host;
    return outbox.send(now, caller.peer, RequestError{"this connection is registered for " + host});
  }
  if (connections.superseded(registration.host, registration.incarnation)) {
    return outbox.send(now, caller.peer, Superseded{});
  }
  accounting.accrue_cost(now);
  const auto before = fleet_state.find_host(registration.host);
  const Incarnation earlier =
      before ? fleet_state.hosts()[*before].registration.incarnation : registration.incarnation;
  const bool was_lost = before && fleet_state.hosts()[*before].health == Health::lost;
  std::vector<ReplicaEntry> held_before = replicas_of(fleet_state, before);
  const Status fine = check_plausible(registration);
  const Result<HostIndex> registered =
      fine ? fleet_state.register_host(now, registration) : fine.error();
  if (!registered) {
    const bool retryable = fine && fleet_state.refused_for_capacity();
    outbox.send(now, caller.peer, JoinRejected{registered.error().message, retryable});
    publisher.event(now, Severity::warning,
                    is_name(registration.host) ? registration.host : "router",
                    "refused: " + registered.error().message);
    return;
  }
  for (const GroupIndex group : fleet_state.take_renewed_groups()) estimator.forget(group);
  // They are freed once nothing computed from them is kept.
  if (const auto unused = fleet_state.take_unused_specs(); !unused.empty())
    estimator.forget_devices();
  // The reservations on this host are made again once its replicas are known.
  for (JobRecord* record : jobs.on_host(registration.host)) release_reservation(*record);
  if (earlier != registration.incarnation) {
    connections.supersede(registration.host, earlier);
    forget_conditions(now, *registered);
  }
  conditions.doubt(*registered, saturating_add(now, settings.heartbeat_every));
  const bool same_line = earlier == registration.incarnation &&
                         connections.peer_of(registration.host) == caller.peer.number;
  supersede_others(now, caller, registration);
  failure_detector.registered(now, *registered);
  replica_controller.host_lost(now, registration.host);
  if (was_lost) fleet_state.set_returned(now, *registered);
  assign_pools(policy, fleet_state);
  add_outlier_places(now, *registered);
  forget_dropped();
  accounting.set_cost_rate(fleet_state, policy);
  publisher.publish_host(now, *registered);
  replace_reported_faults(now, *registered, registration,
                          same_line ? registration.asked_at : Instant{});
  set_leaving(now, *registered, false);
  reapply_drains(now, *registered);
  for (const Replica& replica : registration.replicas) handle(now, caller, ReplicaReport{replica});
  publish_gone(*this, now, *registered, std::move(held_before));
  // A new incarnation that holds none of the work has lost it.
  if (earlier != registration.incarnation && registration.held.empty())
    record_host_failure(now, registration.host);
  reconcile(now, caller, registration, same_line ? registration.asked_at : Instant{});
  publisher.event(
      now, Severity::info, registration.host,
      "joined with " + counted(fleet_state.hosts()[*registered].devices.size(), "device"));
  next_cancel = now;  // its attempts may have been cancelled while it was away
  queue.wake_all();
}

void RouterCore::supersede_others(Instant now, Caller caller, const Register& registration) {
  const auto earlier = connections.peer_of(registration.host);
  if (earlier && *earlier != caller.peer.number) {
    const ConnectionEntry* old = connections.find(*earlier);
    if (old != nullptr && old->incarnation != registration.incarnation) {
      outbox.send(now, {Channel::control, *earlier}, Superseded{});
    }
  }
  connections.speaks_for(caller.peer.number, registration.host, registration.incarnation);
  caller.entry.key = caller.key;
  caller.entry.model_specs_sent.clear();
}

void RouterCore::reconcile(Instant now, Caller caller, const Register& registration,
                           Instant asked_at) {
  std::set<std::pair<JobId, std::uint32_t>> held;
  for (const HeldAttempt& attempt : registration.held) held.emplace(attempt.job, attempt.attempt);
  for (JobRecord* record : jobs.on_host(registration.host)) {
    Member& member = *record->lease.member(registration.host);
    const bool holds = held.contains({record->job.id, record->attempt});
    const bool on_its_way = !member.accepted && asked_at != Instant{} && record->since > asked_at;
    if (holds || on_its_way) {
      member.incarnation = registration.incarnation;
      Allocation kept;  // its samples already show its power
      kept.run_s = record->remaining_s;
      make_reservation(now, *record, kept);
      if (holds) member_accepted(now, *record, member);
      continue;
    }
    // An Assign may still be on its way to the agent; the Cancel follows it in order.
    outbox.send_in_order(now, caller.peer,
                         Cancel{record->job.id, record->attempt, Reason::unhealthy});
    Failed lost =
        failed_attempt(*record, fmt::format("{} no longer holds the attempt", registration.host));
    lost.incarnation = registration.incarnation;
    lost.host_lost = true;
    lost.usage = estimated_usage(*record, member, now);
    end_member(now, *record, registration.host, std::move(lost));
  }
  for (const auto& [id, attempt] : held) {
    if (current(registration.host, id, attempt) != nullptr) continue;
    const JobRecord* record = jobs.find(id);
    if (record != nullptr && record->state == JobState::finished && record->attempt == attempt) {
      outbox.send(now, caller.peer, ResultStored{id, attempt}, record->end_write);
    } else {
      outbox.send_in_order(now, caller.peer, Cancel{id, attempt, Reason::cancelled});
    }
  }
}

void RouterCore::handle(Instant now, Caller caller, const Heartbeat& heartbeat) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  host_counts.update(caller.entry.host, heartbeat.incarnation, heartbeat.samples_thinned,
                     heartbeat.undecodable);
  Heartbeat renewal;
  renewal.incarnation = heartbeat.incarnation;
  outbox.send(now, caller.peer, renewal);
}

void RouterCore::apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch) {
  const auto host = fleet_state.find_host(batch.host);
  if (!host || !check(batch)) {
    // Samples of a host that has not registered arrive first at every start: no error.
    if (host) rejected.drop(now, batch.host, check(batch).error().message);
    return;
  }
  // A lost host must register before its samples count.
  if (is_gone(failure_detector.health(*host))) return;
  if (failure_detector.record_contact(now, *host))
    set_health(now, *host, Health::ok, "heartbeat received again");
  if (const auto absurd = find_implausible_value(batch)) {
    const MetricFacts& metric = facts(absurd->metric);
    rejected.count_implausible(
        now, batch.host,
        fmt::format("the {} of device {} ({:.6g}{}{}, treated as not reported)", metric.name,
                    absurd->device, absurd->value, metric.unit.empty() ? "" : " ", metric.unit));
  }
  const bool first = fleet_state.hosts()[*host].last_sample_sequence == 0;
  fleet_state.apply(now, *host, envelope.sequence, batch);
  fleet_state.host(*host).sample_lag = now - std::clamp(envelope.at, now - sample_lag_max, now);
  // Readings are older than their arrival.
  accounting.read_energy(fleet_state, *host, sample_lag_max + 2 * settings.heartbeat_every);
  if (first) queue.wake_all();
}

void RouterCore::handle(Instant now, Caller caller, const ReplicaReport& report) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  Replica replica = report.replica;
  replica.id.host = caller.entry.host;
  replica.detail = printable(replica.detail.substr(0, 200));
  const auto group = fleet_state.group_of(*host, replica);
  if (group && clamp_to(replica, fleet_state.groups()[*group].spec->memory.bytes)) {
    rejected.count_implausible(
        now, replica.id.host,
        fmt::format("the memory or requests of replica r{} (clamped)", replica.id.number));
  }
  const auto known = fleet_state.find_replica(*host, replica.id.number);
  const ReplicaState before =
      known ? fleet_state.replicas()[*known].replica.state : ReplicaState::gone;
  const ReplicaIndex index = fleet_state.apply(now, *host, replica);
  if (index == no_index) {
    if (replica.state != ReplicaState::gone) {
      rejected.drop(now, replica.id.host,
                    fmt::format("replica r{}: no such group or devices", replica.id.number));
    }
    replica.state = ReplicaState::gone;
    replica_controller.reported(now, replica);
    return;
  }
  replica_controller.reported(now, replica);
  if (replica.state != ReplicaState::gone) add_outlier_place(now, index);
  forget_dropped();
  if (replica.state == ReplicaState::gone) {
    outlier_detector.forget(to_text(replica.id));
    // FleetState dropped the replica's reservations; releasing them later would release another's.
    for (JobRecord* record : jobs.on_host(replica.id.host)) {
      Reservation& reservation = record->reservation;
      if (!reservation.made || reservation.replica != index) continue;
      // Its tenant no longer holds them either; nothing else reports that.
      tenants.ended(record->job.tenant, reservation.devices);
      reservation.made = false;
    }
  }
  if (before != replica.state) {
    publisher.event(now, Severity::info, to_text(replica.id),
                    fmt::format("{} is {}{}{}", replica.model, to_text(replica.state),
                                replica.detail.empty() ? "" : ": ", replica.detail));
  }
  publisher.publish_replica(now, replica, fleet_state.replicas()[index].group);
  queue.wake_model(replica.model);
  // An unloaded replica frees its devices for gangs and other models.
  if (replica.state == ReplicaState::gone) queue.wake_all();
}

void RouterCore::set_health(Instant now, HostIndex host, Health state, const std::string& why) {
  const Severity severity = state == Health::lost      ? Severity::critical
                            : state == Health::suspect ? Severity::warning
                                                       : Severity::info;
  // Only a suspect host becomes healthy by a message.
  if (state == Health::ok) fleet_state.set_returned(now, host);
  fleet_state.set_health(now, host, state);
  publisher.publish_host(now, host);
  publisher.event(now, severity, fleet_state.hosts()[host].registration.host,
                  fmt::format("{}: {}", to_text(state), why));
  queue.wake_all();
}

void RouterCore::lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                           const std::string& what) {
  const std::string name = fleet_state.hosts()[host].registration.host;
  accounting.accrue_cost(now);
  set_health(now, host, state, why);
  accounting.set_cost_rate(fleet_state, policy);
  replica_controller.host_lost(now, name);
  set_leaving(now, host, false);
  // It may only be disconnected, and return unchanged.
  forget_conditions(now, host, state == Health::lost);
  for (JobRecord* record : jobs.on_host(name)) {
    Failed lost = failed_attempt(*record, fmt::format("host {} {}", name, what));
    lost.incarnation = fleet_state.hosts()[host].registration.incarnation;
    lost.host_lost = true;
    lost.usage =
        estimated_usage(*record, *record->lease.member(name), failure_detector.last_contact(host));
    end_member(now, *record, name, std::move(lost));
  }
  connections.silence(name);
}

void RouterCore::sweep(Instant now) {
  const Sweep found = failure_detector.sweep(now);
  if (found.stalled) {
    // Leases from before a restart get the same grace as hosts.
    if (awaiting_hosts) {
      hosts_awaited_until = std::max(hosts_awaited_until, saturating_add(now, settings.lost_after));
    }
    return;
  }
  for (const HostIndex host : found.suspect) {
    set_health(now, host, Health::suspect,
               fmt::format("no heartbeat for {} s", to_seconds(settings.suspect_after)));
  }
  if (found.hold_began) {
    publisher.event(
        now, Severity::critical, "router",
        fmt::format("{} hosts went silent at once: likely the network; their work is not "
                    "requeued for up to {} s",
                    found.held, to_seconds(settings.lost_after)));
  }
  for (const HostIndex host : found.lost) {
    record_host_failure(now, fleet_state.hosts()[host].registration.host);
    lose_host(now, host, Health::lost,
              fmt::format("no heartbeat for {} s", to_seconds(settings.lost_after)), "was lost");
  }
  if (awaiting_hosts && now >= hosts_awaited_until) expire_restored_leases(now);
  cancel_unacknowledged(now);
  manage_replicas(now);
}

void RouterCore::expire_restored_leases(Instant now) {
  awaiting_hosts = false;
  std::vector<JobRecord*> out;
  for (const auto& [number, record] : jobs.open()) {
    if (record->holds_attempt()) out.push_back(record);
  }
  for (JobRecord* record : out) {
    end_members(
        now, *record,
        [&](const Member& member) {
          const bool there = connections.peer_of(member.host).has_value();
          return there ? "" : fmt::format("host {} did not return", member.host);
        },
        [](const Member&) { return true; });
  }
}

void RouterCore::cancel_unacknowledged(Instant now) {
  // Assignments wait for the disk too: their hosts may have received them late or not at all.
  if (outbox.backpressure().stalled_within(now, settings.lost_after)) return;
  // A host that answers nobody is no fault of the job or its placement.
  const auto is_silent = [&](const Member& member) {
    const auto host = fleet_state.find_host(member.host);
    return !host || fleet_state.hosts()[*host].health != Health::ok;
  };
  for (JobRecord* record : jobs.unacknowledged(now - settings.lost_after)) {
    end_members(
        now, *record,
        [&](const Member& member) -> std::string {
          // From before a restart: its host is still awaited.
          if (member.accepted || !connections.peer_of(member.host)) return "";
          send_to_member(now, member, Cancel{record->job.id, record->attempt, Reason::unhealthy});
          if (!is_silent(member)) record_failure(now, *record, member.host, Reason::unhealthy);
          return fmt::format("{} did not acknowledge the assignment", member.host);
        },
        is_silent);
  }
}

template <typename Why, typename Lost>
void RouterCore::end_members(Instant now, JobRecord& record, Why why, Lost host_lost) {
  const std::uint32_t attempt = record.attempt;
  const std::vector<Member> members = record.lease.members;
  for (const Member& member : members) {
    // The last member to end may have ended the attempt.
    if (!record.holds_attempt() || record.attempt != attempt) return;
    if (member.used) continue;
    const bool gone = host_lost(member);
    Failed lost = failed_attempt(record, why(member));
    lost.host_lost = gone;
    if (!lost.detail.empty()) end_member(now, record, member.host, std::move(lost));
  }
}

}  // namespace drover::router
