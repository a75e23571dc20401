#include "router/hosts/hosts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/sample/sample_bounds.h"
#include "router/jobs/attempt_reservation.h"
#include "router/jobs/plausibility_bounds.h"

namespace drover::router {
namespace {

/// If a clock is off by more than this, the delay of samples is not known.
constexpr Duration sample_lag_max = std::chrono::minutes(2);

Replica gone_replica(Replica replica, std::string why) {
  replica.state = ReplicaState::gone;
  replica.detail = std::move(why);
  return replica;
}

std::vector<ReplicaEntry> replicas_of(const FleetState& fleet_state,
                                      std::optional<HostIndex> host) {
  std::vector<ReplicaEntry> replicas;
  if (!host) return replicas;
  for (const ReplicaIndex index : fleet_state.hosts()[*host].replicas) {
    replicas.push_back(fleet_state.replicas()[index]);
  }
  return replicas;
}

/// "ops/ann@node-7", of the key "ops" and the client's name "ann:node-7". Names contain neither
/// slash nor @, so no client can give itself a label that looks like another's key. Login names
/// contain no colon.
std::string label_of(const Caller& caller, const Join& join) {
  if (join.role == Role::agent) return join.name;
  std::string label = join.name;
  if (const auto colon = label.find(':'); colon != std::string::npos) label[colon] = '@';
  return caller.key.empty() ? label : fmt::format("{}/{}", caller.key, label);
}

// Bytes of texts from others that stand in events.
constexpr std::size_t why_max = 64;
constexpr std::size_t unreachable_max = 200;
constexpr std::size_t name_max = 100;

}  // namespace

Hosts::Hosts(const HostsDependencies& uses, JoinAccepted welcome, Instant start)
    : HostsDependencies(uses),
      welcome_(std::move(welcome)),
      failure_detector_({settings.heartbeat_every, settings.suspect_after, settings.lost_after},
                        start) {}

void Hosts::handle(Instant now, const Caller& caller, const Join& join) {
  if (join.role == Role::agent && !is_name(join.name)) {
    outbox.send(now, caller.peer,
                JoinRejected{fmt::format("host name: found \"{}\", expected 1 to 64 characters of "
                                         "A-Z a-z 0-9 . _ : -",
                                         printable(join.name.substr(0, 80)))});
    return;
  }
  caller.entry.role = join.role;
  caller.entry.name = printable(label_of(caller, join).substr(0, client_name_bytes_max));
  JoinAccepted welcome = welcome_;
  welcome.fleet_time = now;
  outbox.send_in_order(now, caller.peer, std::move(welcome));
}

bool Hosts::record_contact(Instant now, const Caller& caller) {
  if (!caller.entry.host.empty()) {
    if (const auto host = fleet_state.find_host(caller.entry.host)) record_contact(now, *host);
    return true;
  }
  const bool asked = caller.entry.reregister_sent != Instant{};
  if (asked && now - caller.entry.reregister_sent < settings.heartbeat_every) return false;
  caller.entry.reregister_sent = now;
  outbox.send_in_order(now, caller.peer, Reregister{now});
  return false;
}

void Hosts::record_contact(Instant now, HostIndex host) {
  if (failure_detector_.record_contact(now, host))
    set_health(now, host, Health::ok, "heartbeat received again");
}

void Hosts::handle(Instant now, const Caller& caller, const Register& registration) {
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
  const std::vector<ReplicaEntry> held_before = replicas_of(fleet_state, before);
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
  forget_estimates();
  // The reservations on this host are made again once its replicas are known.
  for (JobRecord* record : jobs.on_host(registration.host))
    release_reservation(*record, fleet_state, tenants);
  const bool restarted = earlier != registration.incarnation;
  if (restarted || !before) board_reports.forget_host(*registered);
  if (restarted) {
    connections.supersede(registration.host, earlier);
    availability.forget_conditions(now, *registered);
  }
  conditions.doubt(*registered, saturating_add(now, settings.heartbeat_every));
  const bool same_line = !restarted && connections.peer_of(registration.host) == caller.peer.number;
  supersede_others(now, caller, registration);
  failure_detector_.registered(now, *registered);
  replica_controller.host_lost(now, registration.host);
  if (was_lost) fleet_state.set_returned(now, *registered);
  assign_pools(policy, fleet_state);
  outliers.add_places(now, *registered);
  forget_dropped();
  accounting.set_cost_rate(fleet_state, policy);
  publisher.publish_host(now, *registered);
  take_held(now, caller, *registered, registration, held_before, same_line, restarted);
  publisher.event(
      now, Severity::info, registration.host,
      "joined with " + counted(fleet_state.hosts()[*registered].devices.size(), "device"));
  attempts.check_cancels_at(now);  // its attempts may have been cancelled while it was away
  queue.wake_all();
}

void Hosts::take_held(Instant now, const Caller& caller, HostIndex host,
                      const Register& registration, const std::vector<ReplicaEntry>& before,
                      bool same_line, bool restarted) {
  const Instant asked_at = same_line ? registration.asked_at : Instant{};
  availability.replace_reported_faults(now, host, registration, asked_at);
  availability.set_leaving(now, host, false);
  availability.reapply_drains(now, host);
  for (const Replica& replica : registration.replicas) handle(now, caller, ReplicaReport{replica});
  publish_gone(now, host, before);
  // A new incarnation that holds none of the work has lost it.
  if (restarted && registration.held.empty()) outliers.record_host_failure(now, registration.host);
  attempts.reconcile(now, caller, registration, asked_at);
}

void Hosts::forget_estimates() {
  for (const GroupIndex group : fleet_state.take_renewed_groups()) estimator.forget(group);
  // They are freed once nothing computed from them is kept.
  if (const auto unused = fleet_state.take_unused_specs(); !unused.empty())
    estimator.forget_devices();
}

void Hosts::publish_gone(Instant now, HostIndex host, const std::vector<ReplicaEntry>& before) {
  for (const ReplicaEntry& entry : before) {
    if (fleet_state.find_replica(host, entry.replica.id.number)) continue;
    const Replica gone = gone_replica(entry.replica, "its host no longer reports it");
    replica_controller.reported(now, gone);
    publisher.publish_replica(now, gone, entry.group);
  }
}

void Hosts::supersede_others(Instant now, const Caller& caller, const Register& registration) {
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

void Hosts::handle(Instant now, const Caller& caller, const Heartbeat& heartbeat) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  host_counts.update(caller.entry.host, heartbeat.incarnation, heartbeat.samples_thinned,
                     heartbeat.undecodable);
  Heartbeat renewal;
  renewal.incarnation = heartbeat.incarnation;
  outbox.send(now, caller.peer, renewal);
}

void Hosts::apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch) {
  const auto host = fleet_state.find_host(batch.host);
  if (!host || !check(batch)) {
    // Samples of a host that has not registered arrive first at every start: no error.
    if (host) rejected.drop(now, batch.host, check(batch).error().message);
    return;
  }
  // A lost host must register before its samples count.
  if (is_gone(failure_detector_.health(*host))) return;
  record_contact(now, *host);
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

void Hosts::handle(Instant now, const Caller& caller, const ReplicaReport& report) {
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
  if (replica.state != ReplicaState::gone) outliers.add_place(now, index);
  forget_dropped();
  if (replica.state == ReplicaState::gone) {
    outliers.forget(to_text(replica.id));
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
    publisher.event(now, Severity::info, to_text(replica.id), "{} is {}{}{}", replica.model,
                    to_text(replica.state), replica.detail.empty() ? "" : ": ", replica.detail);
  }
  publisher.publish_replica(now, replica, fleet_state.replicas()[index].group);
  queue.wake_model(replica.model);
  // An unloaded replica frees its devices for gangs and other models.
  if (replica.state == ReplicaState::gone) queue.wake_all();
}

// Hosts that fall silent, leave cleanly, or are forgotten: some time after they left, or when an
// operator reports that they will not return.

bool Hosts::sweep(Instant now) {
  const Sweep found = failure_detector_.sweep(now);
  if (found.stalled) return false;
  for (const HostIndex host : found.suspect) {
    set_health(now, host, Health::suspect,
               fmt::format("no heartbeat for {} s", to_seconds(settings.suspect_after)));
  }
  if (found.hold_began) {
    publisher.event(now, Severity::critical, "router",
                    "{} hosts went silent at once: likely the network; their work is not "
                    "requeued for up to {} s",
                    found.held, to_seconds(settings.lost_after));
  }
  for (const HostIndex host : found.lost) {
    outliers.record_host_failure(now, fleet_state.host_name(host));
    lose_host(now, host, Health::lost,
              fmt::format("no heartbeat for {} s", to_seconds(settings.lost_after)), "was lost");
  }
  return true;
}

void Hosts::set_health(Instant now, HostIndex host, Health state, const std::string& why) {
  const Severity severity = state == Health::lost      ? Severity::critical
                            : state == Health::suspect ? Severity::warning
                                                       : Severity::info;
  // Only a suspect host becomes healthy by a message.
  if (state == Health::ok) fleet_state.set_returned(now, host);
  fleet_state.set_health(now, host, state);
  fleet_state.host(host).health_why = state == Health::ok ? "" : why;
  publisher.publish_host(now, host);
  publisher.event(now, severity, fleet_state.host_name(host), "{}: {}", to_text(state), why);
  queue.wake_all();
}

void Hosts::lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                      const std::string& what) {
  const std::string name = fleet_state.host_name(host);
  accounting.accrue_cost(now);
  set_health(now, host, state, why);
  accounting.set_cost_rate(fleet_state, policy);
  replica_controller.host_lost(now, name);
  availability.set_leaving(now, host, false);
  // It may only be disconnected, and return unchanged.
  availability.forget_conditions(now, host, state == Health::lost);
  attempts.lose_host(now, fleet_state.hosts()[host].registration, what,
                     failure_detector_.last_contact(host));
  connections.silence(name);
}

void Hosts::handle(Instant now, const Caller& caller, const Leave& leave) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  const std::string why = printable(leave.why.substr(0, why_max));
  if (leave.held > 0 || leave.after > Duration{0}) {
    availability.set_leaving(now, *host, true);
    if (leave.after > Duration{0}) {
      publisher.event(now, Severity::warning, fleet_state.host_name(*host),
                      "{} in {:.0f} s: no new work for it", why, to_seconds(leave.after));
    }
    return;
  }
  failure_detector_.mark_left(*host);
  lose_host(now, *host, Health::left, why.empty() ? "shut down cleanly" : why, "left");
  const std::vector<ReplicaIndex> went = fleet_state.hosts()[*host].replicas;
  for (const ReplicaIndex index : went) {
    const Replica gone = gone_replica(fleet_state.replicas()[index].replica, "its host left");
    const GroupIndex group = fleet_state.replicas()[index].group;
    outliers.forget(to_text(gone.id));
    replica_controller.reported(now, gone);
    fleet_state.apply(now, *host, gone);
    publisher.publish_replica(now, gone, group);
  }
}

void Hosts::handle(Instant now, const Caller& caller, const HostUnreachable& report) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host || is_gone(failure_detector_.health(*host))) return;
  failure_detector_.mark_lost(*host);
  lose_host(now, *host, Health::lost, printable(report.why.substr(0, unreachable_max)), "was lost");
}

void Hosts::handle(Instant now, const Caller& caller, const ForgetHost& asked) {
  ActionReply reply;
  const std::string name = excerpt(asked.host, name_max);
  const auto host = fleet_state.find_host(asked.host);
  if (!host) {
    reply.problem = fmt::format("no host {}", name);
  } else if (const Health state = fleet_state.hosts()[*host].health; !is_gone(state)) {
    reply.problem =
        fmt::format("{} is {}: only a host that is lost or has left can be forgotten", name,
                    state == Health::ok ? "connected and healthy" : to_text(state));
  } else {
    reply.applied = true;
    reply.targets = {"host:" + name};
    reply.summary = fmt::format("{}: forgotten, with its {}; it may join again", name,
                                counted(fleet_state.hosts()[*host].devices.size(), "device"));
    forget_host(now, *host, fmt::format("removed by {}", client_name(caller)));
  }
  publisher.reply_to_action(now, caller, "forget", "host:" + name, std::move(reply));
}

void Hosts::forget_host(Instant now, HostIndex host, const std::string& why) {
  const HostEntry& entry = fleet_state.hosts()[host];
  const std::string name = entry.registration.host;
  DROVER_REQUIRE(is_gone(entry.health) && !entry.forgotten);
  reserved.expire(now);  // releases devices reserved there
  for (const DeviceIndex device : entry.devices) sent_caps.erase(device);
  for (const ReplicaIndex index : entry.replicas) {
    replica_controller.reported(now, gone_replica(fleet_state.replicas()[index].replica, ""));
  }
  // Also those that were gone before: a Register ends no ejection.
  for (const auto& [number, index] : entry.replica_by_number) {
    outliers.forget(to_text(ReplicaId{name, number}));
  }
  accounting.forget_host(fleet_state, host);
  availability.forget_host(now, host);
  board_reports.forget_host(host);
  failure_detector_.forget(host);
  replica_controller.host_lost(now, name);
  fleet_state.forget_host(host);
  forget_dropped();
  assign_pools(policy, fleet_state);
  outbox.publish(now, HostForgotten{name});
  publisher.event(now, Severity::info, name, "forgotten: " + why);
  queue.wake_all();
}

void Hosts::forget_dropped() {
  outliers.forget_dropped_places();
  for (const std::string& host : fleet_state.take_replaced_hosts()) {
    accounting.forget_counters(host);
    host_counts.forget(host);
    connections.forget_incarnations(host);
  }
}

void Hosts::forget_left(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    const HostEntry& entry = fleet_state.hosts()[host];
    if (entry.health != Health::left || entry.forgotten) continue;
    if (now - entry.health_since < settings.forget_left_after) continue;
    forget_host(now, host, "it left and has not returned");
  }
}

}  // namespace drover::router
