#include "router/attempts/outlier_reporting.h"

#include <set>

#include <fmt/format.h>

#include "fleet/base/units.h"

namespace drover::router {
namespace {

/// Whether a failure reason is the place's fault. Most are not: it is full, drained or capped, or
/// the job does not fit it.
bool is_place_at_fault(Reason reason) {
  return reason == Reason::unhealthy || reason == Reason::memory;
}

std::string group_name(const HostEntry& host, const GroupEntry& group) {
  return group_place(host.registration.host, group.group.number);
}

}  // namespace

std::string OutlierReporting::place_name(const JobRecord& record, const Member& member) const {
  if (record.lease.replica) return to_text(ReplicaId{member.host, *record.lease.replica});
  const auto host = fleet_state.find_host(member.host);
  if (!host || member.devices.empty()) return "";
  const HostEntry& entry = fleet_state.hosts()[*host];
  const std::uint16_t number = member.devices.front();
  if (number >= entry.devices.size()) return "";
  const GroupIndex group = fleet_state.devices().group[entry.devices[number]];
  return group_name(entry, fleet_state.groups()[group]);
}

void OutlierReporting::record_success(Instant now, const JobRecord& record) {
  for (const Member& member : record.lease.members) {
    detector_.report(now, place_name(record, member), true);
  }
}

void OutlierReporting::record_failure(Instant now, const JobRecord& record, const std::string& host,
                                      Reason reason) {
  const Member* member = record.lease.member(host);
  if (member == nullptr || member->used || !is_place_at_fault(reason)) return;
  detector_.report(now, place_name(record, *member), false);
}

void OutlierReporting::record_host_failure(Instant now, const std::string& host) {
  std::set<std::string> places;
  for (const JobRecord* record : jobs.on_host(host)) {
    places.insert(place_name(*record, *record->lease.member(host)));
  }
  for (const std::string& place : places) detector_.report(now, place, false);
}

void OutlierReporting::add_places(Instant now, HostIndex host) {
  for (const GroupIndex index : fleet_state.hosts()[host].groups) {
    const GroupEntry& group = fleet_state.groups()[index];
    const std::string name = group_name(fleet_state.hosts()[host], group);
    detector_.add_place(name, pool_of(fleet_state, policy, index), group.group.count);
    fleet_state.group(index).outlier.ejected = detector_.ejected(name, now);
  }
}

void OutlierReporting::add_place(Instant now, ReplicaIndex index) {
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  const std::string name = to_text(entry.replica.id);
  detector_.add_place(
      name, fmt::format("{} {}", pool_of(fleet_state, policy, entry.group), entry.replica.model),
      static_cast<double>(entry.replica.devices.size()));
  fleet_state.replica(index).outlier.ejected = detector_.ejected(name, now);
}

OutlierState* OutlierReporting::outlier_state_of(const std::string& place) {
  const auto slash = place.find('/');
  const auto host = fleet_state.find_host(place.substr(0, slash));
  if (!host) return nullptr;
  for (const GroupIndex index : fleet_state.hosts()[*host].groups) {
    GroupEntry& group = fleet_state.group(index);
    if (group_name(fleet_state.hosts()[*host], group) == place) return &group.outlier;
  }
  for (const ReplicaIndex index : fleet_state.hosts()[*host].replicas) {
    ReplicaEntry& replica = fleet_state.replica(index);
    if (to_text(replica.replica.id) == place) return &replica.outlier;
  }
  return nullptr;
}

void OutlierReporting::forget_dropped_places() {
  for (const std::string& place : fleet_state.take_dropped_places()) {
    if (outlier_state_of(place) == nullptr) forget(place);
  }
}

void OutlierReporting::renew(Instant now, EjectionRules rules) {
  detector_.set_rules(rules);
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) add_places(now, host);
  for (ReplicaIndex replica = 0; replica < fleet_state.replicas().size(); ++replica) {
    if (fleet_state.replicas()[replica].replica.state != ReplicaState::gone)
      add_place(now, replica);
  }
}

void OutlierReporting::apply_changes(Instant now) {
  detector_.tick(now);
  for (const EjectionChange& change : detector_.take_changes()) {
    const Ejection& ejection = change.ejection;
    const std::string span = duration_text(to_seconds(ejection.until - ejection.since));
    if (ejection.shadow) {
      if (change.ended) continue;
      publisher.event(now, Severity::info, ejection.place, "would get no new work for {}: {}", span,
                      in_words(ejection.detector));
      continue;
    }
    if (OutlierState* outlier = outlier_state_of(ejection.place)) {
      // It may be gone and replaced since.
      outlier->ejected = detector_.ejected(ejection.place, now);
      if (change.ended) fleet_state.set_returned(now, *outlier);
    }
    if (change.ended) {
      publisher.event(now, Severity::info, ejection.place,
                      "no longer ejected: gets new work gradually");
    } else {
      publisher.event(now, Severity::warning, ejection.place,
                      "ejected, no new work for {}: {} ({})", span, in_words(ejection.detector),
                      ejection.times == 1 ? "first time" : fmt::format("time {}", ejection.times));
    }
    queue.wake_all();
  }
}

}  // namespace drover::router
