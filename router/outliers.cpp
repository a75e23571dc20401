// What becomes of a place whose attempts fail: ejected for a while, and started slowly when it is
// back.
//
// A place is a replica, "host/r0", or the groups of devices that gangs run on, "host/g0". Of a
// replica the pool is the replicas of its model in its pool, of a group the groups of its pool; its
// capacity is counted in devices.
#include <algorithm>

#include "router/state.h"

namespace drover::router {
namespace {

/// What an agent says of a place, when it says why an attempt came to nothing. Most reasons are
/// none of the place's fault: it is full, drained or capped, or the job is not for it.
bool is_place_at_fault(Reason reason) {
  return reason == Reason::unhealthy || reason == Reason::memory;
}

std::string group_name(const HostEntry& host, const GroupEntry& group) {
  return group_place(host.hello.host, group.group.number);
}

}  // namespace

std::string Core::place_name(const JobRecord& record, const Member& member) const {
  if (record.lease.replica) return to_text(ReplicaId{member.host, *record.lease.replica});
  const auto host = roster.find_host(member.host);
  if (!host || member.devices.empty()) return "";
  const auto& groups = roster.hosts()[*host].groups;
  const auto found = std::find_if(groups.begin(), groups.end(), [&](GroupIndex index) {
    const Group& group = roster.groups()[index].group;
    const std::uint16_t device = member.devices.front();
    return device >= group.first && device < group.first + group.count;
  });
  if (found == groups.end()) return "";
  return group_name(roster.hosts()[*host], roster.groups()[*found]);
}

void Core::credit(Instant now, const JobRecord& record) {
  for (const Member& member : record.lease.members) {
    ejections.report(now, place_name(record, member), true);
  }
}

void Core::blame(Instant now, const JobRecord& record, const std::string& host, Reason reason) {
  const Member* member = record.lease.member(host);
  if (member == nullptr || member->used || !is_place_at_fault(reason)) return;
  ejections.report(now, place_name(record, *member), false);
}

void Core::blame_host(Instant now, const std::string& host) {
  std::set<std::string> places;
  for (const JobRecord* record : jobs.on_host(host)) {
    places.insert(place_name(*record, *record->lease.member(host)));
  }
  for (const std::string& place : places) ejections.report(now, place, false);
}

void Core::enrol_places(Instant now, HostIndex host) {
  for (const GroupIndex index : roster.hosts()[host].groups) {
    const GroupEntry& group = roster.groups()[index];
    const std::string name = group_name(roster.hosts()[host], group);
    ejections.enrol(name, pool_of(index), group.group.count);
    roster.group(index).trust.ejected = ejections.ejected(name, now);
  }
}

void Core::enrol_place(Instant now, ReplicaIndex index) {
  const ReplicaEntry& entry = roster.replicas()[index];
  const std::string name = to_text(entry.replica.id);
  ejections.enrol(name, fmt::format("{} {}", pool_of(entry.group), entry.replica.model),
                  static_cast<double>(entry.replica.devices.size()));
  roster.replica(index).trust.ejected = ejections.ejected(name, now);
}

Trust* Core::trust_of(const std::string& place) {
  const auto slash = place.find('/');
  const auto host = roster.find_host(place.substr(0, slash));
  if (!host) return nullptr;
  for (const GroupIndex index : roster.hosts()[*host].groups) {
    GroupEntry& group = roster.group(index);
    if (group_name(roster.hosts()[*host], group) == place) return &group.trust;
  }
  for (const ReplicaIndex index : roster.hosts()[*host].replicas) {
    ReplicaEntry& replica = roster.replica(index);
    if (to_text(replica.replica.id) == place) return &replica.trust;
  }
  return nullptr;
}

/// Places and hosts that the roster knows no more. Else agents that say other numbers and names
/// each time would fill the tables of those who go by them.
void Core::forget_dropped() {
  for (const std::string& place : roster.take_dropped_places()) {
    if (trust_of(place) == nullptr) ejections.forget(place);
  }
  for (const std::string& host : roster.take_replaced_hosts()) {
    accounting.forget_counters(host);
    host_counts.forget(host);
    peers.forget_lives(host);
  }
}

void Core::settle_ejections(Instant now) {
  ejections.tick(now);
  for (const EjectionChange& change : ejections.take_changes()) {
    const Ejection& ejection = change.ejection;
    const double length_s = to_seconds(ejection.until - ejection.since);
    if (ejection.shadow) {
      if (change.ended) continue;
      event(now, Severity::info, ejection.place,
            fmt::format("would be ejected for {:.0f} s: {}", length_s, to_text(ejection.detector)));
      continue;
    }
    if (Trust* trust = trust_of(ejection.place)) {
      // It may be gone and another in its place since.
      trust->ejected = ejections.ejected(ejection.place, now);
      if (change.ended) roster.set_returned(now, *trust);
    }
    if (change.ended) {
      event(now, Severity::info, ejection.place, "no longer ejected: takes new work, slowly");
    } else {
      event(now, Severity::warning, ejection.place,
            fmt::format("ejected for {:.0f} s, time {}: {}", length_s, ejection.times,
                        to_text(ejection.detector)));
    }
    queue.wake_all();
  }
}

}  // namespace drover::router
