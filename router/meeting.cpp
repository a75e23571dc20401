// Who is there: connections, hosts, their leases, samples and replicas.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "fleet/sample/sample_bounds.h"
#include "router/jobs/figure_bounds.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// A clock that is wrong by more tells nothing of how late samples are.
constexpr Duration sample_lag_max = std::chrono::minutes(2);

std::vector<ReplicaEntry> replicas_of(const Roster& roster, std::optional<HostIndex> host) {
  std::vector<ReplicaEntry> replicas;
  if (!host) return replicas;
  for (const ReplicaIndex index : roster.hosts()[*host].replicas) {
    replicas.push_back(roster.replicas()[index]);
  }
  return replicas;
}

void publish_gone(Core& core, Instant now, HostIndex host, std::vector<ReplicaEntry> before) {
  for (ReplicaEntry& entry : before) {
    if (core.roster.find_replica(host, entry.replica.id.number)) continue;
    entry.replica.state = ReplicaState::gone;
    entry.replica.detail = "its host no longer has it";
    core.keeper.reported(now, entry.replica);
    core.publish_replica(now, entry.replica, entry.group);
  }
}

}  // namespace

void Core::meet(Instant now, Caller caller, const Join& join) {
  if (join.role == Role::agent && !is_name(join.name)) {
    mail.send(now, caller.peer,
              Unwelcome{fmt::format("host name: found \"{}\", expected 1 to 64 of A-Z a-z 0-9 . _ "
                                    ": -",
                                    printable(join.name.substr(0, 80)))});
    return;
  }
  caller.entry.role = join.role;
  // No name of a key holds a slash: nobody can give himself a label that looks like another's key.
  const bool labelled = !caller.key.empty() && join.role != Role::agent;
  const std::string name = labelled ? fmt::format("{}/{}", caller.key, join.name) : join.name;
  caller.entry.name = printable(name.substr(0, 64));
  Welcome welcome;
  welcome.fleet_time = now;
  welcome.speed = settings.speed;
  welcome.samples_endpoint = settings.samples_endpoint;
  welcome.publish_endpoint = settings.publish_endpoint;
  welcome.heartbeat_every = settings.heartbeat_every;
  welcome.lease = settings.lease;
  welcome.software = settings.software;
  mail.send_in_order(now, caller.peer, std::move(welcome));
}

void Core::want_hello(Instant now, Caller caller) {
  const bool asked = caller.entry.hello_asked != Instant{};
  if (asked && now - caller.entry.hello_asked < settings.heartbeat_every) return;
  caller.entry.hello_asked = now;
  mail.send_in_order(now, caller.peer, HelloWanted{now});
}

void Core::meet(Instant now, Caller caller, const Hello& hello) {
  if (!caller.entry.host.empty() && caller.entry.host != hello.host) {
    const std::string& host = caller.entry.host;
    return mail.send(now, caller.peer, Problem{"this connection speaks for " + host});
  }
  if (peers.superseded(hello.host, hello.incarnation)) {
    return mail.send(now, caller.peer, Superseded{});
  }
  accounting.settle_cost(now);
  const auto before = roster.find_host(hello.host);
  const Incarnation earlier =
      before ? roster.hosts()[*before].hello.incarnation : hello.incarnation;
  const bool was_lost = before && roster.hosts()[*before].health == Health::lost;
  std::vector<ReplicaEntry> held_before = replicas_of(roster, before);
  const Status fine = check_figures(hello);
  const Result<HostIndex> enrolled = fine ? roster.enrol(now, hello) : fine.error();
  if (!enrolled) {
    const bool passing = fine && roster.refused_for_room();
    mail.send(now, caller.peer, Unwelcome{enrolled.error().message, passing});
    event(now, Severity::warning, is_name(hello.host) ? hello.host : "router",
          "refused: " + enrolled.error().message);
    return;
  }
  for (const GroupIndex group : roster.take_renewed_groups()) estimator.forget(group);
  // They are freed once nothing that was worked out for them is known any more.
  if (const auto unused = roster.take_unused_specs(); !unused.empty()) estimator.forget_devices();
  // What the roster was promised for this host is told anew once its replicas are known.
  for (JobRecord* record : jobs.on_host(hello.host)) withdraw(*record);
  if (earlier != hello.incarnation) {
    peers.supersede(hello.host, earlier);
    forget_conditions(now, *enrolled);
  }
  conditions.doubt(*enrolled, saturating_add(now, settings.heartbeat_every));
  const bool same_line =
      earlier == hello.incarnation && peers.peer_of(hello.host) == caller.peer.number;
  take_over(now, caller, hello);
  health.enrolled(now, *enrolled);
  keeper.host_lost(now, hello.host);
  if (was_lost) roster.set_returned(now, *enrolled);
  assign_pools(policy, roster);
  enrol_places(now, *enrolled);
  forget_dropped();
  accounting.set_cost_rate(roster, policy);
  publish_host(now, *enrolled);
  hear_faults(now, *enrolled, hello, same_line ? hello.asked_at : Instant{});
  set_leaving(now, *enrolled, false);
  settle_drains(now, *enrolled);
  for (const Replica& replica : hello.replicas) apply_report(now, caller, {replica});
  publish_gone(*this, now, *enrolled, std::move(held_before));
  // A new life that holds nothing of the work has died with it.
  if (earlier != hello.incarnation && hello.held.empty()) blame_host(now, hello.host);
  reconcile(now, caller, hello, same_line ? hello.asked_at : Instant{});
  event(now, Severity::info, hello.host,
        fmt::format("joined with {}", counted(roster.hosts()[*enrolled].devices.size(), "device")));
  next_call_off = now;  // what it holds may have been called off while it was away
  queue.wake_all();
}

void Core::take_over(Instant now, Caller caller, const Hello& hello) {
  const auto earlier = peers.peer_of(hello.host);
  if (earlier && *earlier != caller.peer.number) {
    const PeerEntry* old = peers.find(*earlier);
    if (old != nullptr && old->incarnation != hello.incarnation) {
      mail.send(now, {Channel::control, *earlier}, Superseded{});
    }
  }
  peers.speaks_for(caller.peer.number, hello.host, hello.incarnation);
  caller.entry.key = caller.key;
  caller.entry.models_carried.clear();
}

void Core::reconcile(Instant now, Caller caller, const Hello& hello, Instant asked_at) {
  std::set<std::pair<JobId, std::uint32_t>> held;
  for (const HeldAttempt& attempt : hello.held) held.emplace(attempt.job, attempt.attempt);
  for (JobRecord* record : jobs.on_host(hello.host)) {
    Member& member = *record->lease.member(hello.host);
    const bool holds = held.contains({record->job.id, record->attempt});
    const bool on_its_way = !member.accepted && asked_at != Instant{} && record->since > asked_at;
    if (holds || on_its_way) {
      member.incarnation = hello.incarnation;
      Place kept;  // its samples show already what it draws
      kept.run_s = record->remaining_s;
      promise(now, *record, kept);
      if (holds) joined(now, *record, member);
      continue;
    }
    // An Assign may still be on its way to the agent; the Cancel follows it in order.
    mail.send_in_order(now, caller.peer,
                       Cancel{record->job.id, record->attempt, Reason::unhealthy});
    Failed lost;
    lost.job = record->job.id;
    lost.attempt = record->attempt;
    lost.incarnation = hello.incarnation;
    lost.host_lost = true;
    lost.detail = fmt::format("{} no longer holds the attempt", hello.host);
    lost.usage = believed_usage(*record, member, now);
    end_member(now, *record, hello.host, std::move(lost));
  }
  for (const auto& [id, attempt] : held) {
    if (current(hello.host, id, attempt) != nullptr) continue;
    const JobRecord* record = jobs.find(id);
    if (record != nullptr && record->state == JobState::finished && record->attempt == attempt) {
      mail.send(now, caller.peer, ResultStored{id, attempt}, record->end_write);
    } else {
      mail.send_in_order(now, caller.peer, Cancel{id, attempt, Reason::cancelled});
    }
  }
}

void Core::renew_lease(Instant now, Caller caller, const Heartbeat& heartbeat) {
  const auto host = roster.find_host(caller.entry.host);
  if (!host) return;
  host_counts.hear(caller.entry.host, heartbeat.incarnation, heartbeat.samples_thinned,
                   heartbeat.undecodable);
  Heartbeat renewal;
  renewal.incarnation = heartbeat.incarnation;
  mail.send(now, caller.peer, renewal);
}

void Core::apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch) {
  const auto host = roster.find_host(batch.host);
  if (!host || !check(batch)) {
    // Samples of a host that has not said Hello come first at every start: no fault.
    if (host) drop(now, batch.host, check(batch).error().message);
    return;
  }
  // A lost host's samples are belief too old to act on; it must say Hello first.
  if (is_gone(health.health(*host))) return;
  if (health.heard(now, *host)) set_health(now, *host, Health::ok, "heard again");
  if (const auto absurd = find_absurdity(batch)) {
    const MetricFacts& metric = facts(absurd->metric);
    note_cut(
        now, batch.host,
        fmt::format("the {} of device {} ({:.6g}{}{}, taken as not reported)", metric.name,
                    absurd->device, absurd->value, metric.unit.empty() ? "" : " ", metric.unit));
  }
  const bool first = roster.hosts()[*host].last_sample_sequence == 0;
  roster.apply(now, *host, envelope.sequence, batch);
  roster.host(*host).sample_lag = now - std::clamp(envelope.at, now - sample_lag_max, now);
  // Readings are not of the moment at which they come.
  accounting.read_energy(roster, *host, sample_lag_max + 2 * settings.heartbeat_every);
  if (first) queue.wake_all();
}

void Core::apply_report(Instant now, Caller caller, const ReplicaReport& report) {
  const auto host = roster.find_host(caller.entry.host);
  if (!host) return;
  Replica replica = report.replica;
  replica.id.host = caller.entry.host;
  replica.detail = printable(replica.detail.substr(0, 200));
  const auto group = roster.group_of(*host, replica);
  if (group && cut(replica, roster.groups()[*group].spec->memory_bytes)) {
    note_cut(now, replica.id.host,
             fmt::format("replica r{}'s memory or requests", replica.id.number));
  }
  const auto known = roster.find_replica(*host, replica.id.number);
  const ReplicaState before = known ? roster.replicas()[*known].replica.state : ReplicaState::gone;
  const ReplicaIndex index = roster.apply(now, *host, replica);
  if (index == nowhere) {
    if (replica.state != ReplicaState::gone) {
      drop(now, replica.id.host, fmt::format("replica r{}: no such place", replica.id.number));
    }
    replica.state = ReplicaState::gone;
    keeper.reported(now, replica);
    return;
  }
  keeper.reported(now, replica);
  if (replica.state != ReplicaState::gone) enrol_place(now, index);
  forget_dropped();
  if (replica.state == ReplicaState::gone) {
    ejections.forget(to_text(replica.id));
    // The roster forgot its promises; giving them back later would take another's.
    for (JobRecord* record : jobs.on_host(replica.id.host)) {
      Promise& promise = record->promise;
      if (!promise.made || promise.replica != index) continue;
      // Its tenant holds them no more either: nobody else will say so.
      tenants.ended(record->job.tenant, promise.devices);
      promise.made = false;
    }
  }
  if (before != replica.state) {
    event(now, Severity::info, to_text(replica.id),
          fmt::format("{} is {}{}{}", replica.model, to_text(replica.state),
                      replica.detail.empty() ? "" : ": ", replica.detail));
  }
  publish_replica(now, replica, roster.replicas()[index].group);
  queue.wake_model(replica.model);
  // A replica that left frees its devices for gangs and for other models.
  if (replica.state == ReplicaState::gone) queue.wake_all();
}

void Core::set_health(Instant now, HostIndex host, Health state, const std::string& why) {
  const Severity severity = state == Health::lost      ? Severity::critical
                            : state == Health::suspect ? Severity::warning
                                                       : Severity::info;
  // Only a suspect one is well again by being heard.
  if (state == Health::ok) roster.set_returned(now, host);
  roster.set_health(now, host, state);
  publish_host(now, host);
  event(now, severity, roster.hosts()[host].hello.host, fmt::format("{}: {}", to_text(state), why));
  queue.wake_all();
}

void Core::lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                     const std::string& what) {
  const std::string name = roster.hosts()[host].hello.host;
  accounting.settle_cost(now);
  set_health(now, host, state, why);
  accounting.set_cost_rate(roster, policy);
  keeper.host_lost(now, name);
  set_leaving(now, host, false);
  // It may be cut off only, and come back as it was.
  forget_conditions(now, host, state == Health::lost);
  for (JobRecord* record : jobs.on_host(name)) {
    Failed lost;
    lost.job = record->job.id;
    lost.attempt = record->attempt;
    lost.incarnation = roster.hosts()[host].hello.incarnation;
    lost.host_lost = true;
    lost.detail = fmt::format("host {} {}", name, what);
    lost.usage = believed_usage(*record, *record->lease.member(name), health.last_heard(host));
    end_member(now, *record, name, std::move(lost));
  }
  peers.silence(name);
}

void Core::sweep(Instant now) {
  const Sweep found = health.sweep(now);
  if (found.stalled) {
    // Leases of an earlier life get the same grace as hosts.
    if (awaiting_hosts) {
      hosts_awaited_until = std::max(hosts_awaited_until, saturating_add(now, settings.lost_after));
    }
    return;
  }
  for (const HostIndex host : found.suspect) {
    set_health(now, host, Health::suspect,
               fmt::format("nothing heard for {} s", to_seconds(settings.suspect_after)));
  }
  if (found.hold_began) {
    event(now, Severity::critical, "router",
          fmt::format("{} hosts fell silent at once: their work is held, not moved, for up to {} s",
                      found.held, to_seconds(settings.lost_after)));
  }
  for (const HostIndex host : found.lost) {
    blame_host(now, roster.hosts()[host].hello.host);
    lose_host(now, host, Health::lost,
              fmt::format("nothing heard for {} s", to_seconds(settings.lost_after)), "was lost");
  }
  if (awaiting_hosts && now >= hosts_awaited_until) give_up_waiting(now);
  call_off_unanswered(now);
  manage_replicas(now);
}

void Core::give_up_waiting(Instant now) {
  awaiting_hosts = false;
  std::vector<JobRecord*> out;
  for (const auto& [number, record] : jobs.open()) {
    if (record->holds_attempt()) out.push_back(record);
  }
  for (JobRecord* record : out) {
    end_members(
        now, *record,
        [&](const Member& member) {
          const bool there = peers.peer_of(member.host).has_value();
          return there ? "" : fmt::format("host {} did not come back", member.host);
        },
        [](const Member&) { return true; });
  }
}

void Core::call_off_unanswered(Instant now) {
  // Assignments wait for the disk too: their hosts have not heard of them, or only just.
  if (disk.stood_still_within(now, settings.lost_after)) return;
  // Neither job nor place is to blame for a host that answers nobody.
  const auto is_silent = [&](const Member& member) {
    const auto host = roster.find_host(member.host);
    return !host || roster.hosts()[*host].health != Health::ok;
  };
  for (JobRecord* record : jobs.unanswered(now - settings.lost_after)) {
    end_members(
        now, *record,
        [&](const Member& member) -> std::string {
          // An earlier life's: its host is still awaited.
          if (member.accepted || !peers.peer_of(member.host)) return "";
          tell(now, member, Cancel{record->job.id, record->attempt, Reason::unhealthy});
          if (!is_silent(member)) blame(now, *record, member.host, Reason::unhealthy);
          return fmt::format("{} did not answer the assignment", member.host);
        },
        is_silent);
  }
}

template <typename Why, typename Lost>
void Core::end_members(Instant now, JobRecord& record, Why why, Lost host_lost) {
  const std::uint32_t attempt = record.attempt;
  const std::vector<Member> members = record.lease.members;
  for (const Member& member : members) {
    // The last one to end may have ended the attempt.
    if (!record.holds_attempt() || record.attempt != attempt) return;
    if (member.used) continue;
    Failed lost;
    lost.job = record.job.id;
    lost.attempt = attempt;
    lost.host_lost = host_lost(member);
    lost.detail = why(member);
    if (!lost.detail.empty()) end_member(now, record, member.host, std::move(lost));
  }
}

}  // namespace drover::router
