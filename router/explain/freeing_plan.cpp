#include "router/explain/freeing_plan.h"

#include <algorithm>
#include <map>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::router {
namespace {

/// What must happen before a device is free, the least first.
enum class Obstacle : std::uint8_t {
  none,
  gang,     // it ends
  leaving,  // a replica that is being unloaded
  spare,    // a replica that is unloaded once it is surplus
  kept,     // reserved for another job
  fixed,    // a replica that its agent was started with
  drained,
  unusable,
  immovable,
};

bool is_leaving(const ReplicaEntry& entry) {
  return entry.retiring || entry.facts.state == ReplicaState::draining;
}

Obstacle obstacle_of(const PlacementQuery& query, const ReplicaEntry& entry) {
  // A replica of its own model need not be unloaded for another one.
  const bool serves_it =
      query.purpose != Purpose::gang && entry.replica.model == query.request.model->id;
  if (is_leaving(entry)) return Obstacle::leaving;
  if (serves_it) return Obstacle::immovable;
  const bool yields = entry.replica.started_by_router && query.policy.replicas.manage;
  return yields ? Obstacle::spare : Obstacle::fixed;
}

/// The devices of one group, by index.
class Site {
 public:
  Site(const PlacementQuery& query, const std::vector<Preemption>& kept, GroupIndex index)
      : query_(query),
        kept_(kept),
        columns_(query.fleet_state.devices()),
        index_(index),
        group_(query.fleet_state.groups()[index]) {
    for (const DeviceIndex device : group_.devices()) {
      obstacles_.push_back(of_state(device));
      ends_s_.push_back(end_of(device));
    }
    for (const ReplicaIndex replica : query.fleet_state.hosts()[group_.host].replicas) {
      const ReplicaEntry& entry = query.fleet_state.replicas()[replica];
      if (entry.group != index) continue;
      replicas_.push_back(replica);
      query.fleet_state.each_device(
          entry, [&](DeviceIndex device) { raise(device, obstacle_of(query, entry)); });
    }
  }

  std::optional<FreeingPlan> cheapest(int count) {
    for (int most = 0; most < static_cast<int>(Obstacle::immovable); ++most) {
      open_.clear();
      for (const Obstacle each : obstacles_) open_.push_back(static_cast<int>(each) <= most);
      if (!suffices(count)) continue;
      const double wait_s = shorten_wait(count);
      leave_out(count);
      return freeing(count, wait_s);
    }
    return std::nullopt;
  }

 private:
  void raise(DeviceIndex device, Obstacle obstacle) {
    Obstacle& known = obstacles_[device - group_.first];
    known = std::max(known, obstacle);
  }

  Obstacle of_state(DeviceIndex device) const {
    const std::uint32_t bits = columns_.condition[device];
    if ((bits & condition_unusable) != 0) return Obstacle::unusable;
    if ((bits & condition_drained) != 0) return Obstacle::drained;
    if ((bits & condition_reserved) != 0) return Obstacle::kept;
    return columns_.gang[device].empty() ? Obstacle::none : Obstacle::gang;
  }

  const Preemption* makes_room(const JobId& gang) const {
    for (const Preemption& kept : kept_) {
      const bool own = kept.job == query_.request.job->id;
      if (own && kept.leaving.contains(gang)) return &kept;
    }
    return nullptr;
  }

  double end_of(DeviceIndex device) const {
    const JobId& gang = columns_.gang[device];
    if (gang.empty()) return 0;
    const Preemption* kept = makes_room(gang);
    const Instant end = kept != nullptr ? std::min(columns_.busy_until[device], kept->grace_until)
                                        : columns_.busy_until[device];
    return std::max(0.0, to_seconds(end - query_.now));
  }

  bool suffices(int count) const { return !lowest_devices(group_, count, open_).empty(); }

  /// Excludes devices that become free later than needed; returns when enough are free.
  double shorten_wait(int count) {
    std::vector<double> ends_s;
    for (std::size_t at = 0; at < open_.size(); ++at) {
      if (open_[at]) ends_s.push_back(ends_s_[at]);
    }
    std::ranges::sort(ends_s);
    const std::vector<bool> all = open_;
    for (const double end_s : ends_s) {
      for (std::size_t at = 0; at < open_.size(); ++at) open_[at] = all[at] && ends_s_[at] <= end_s;
      if (suffices(count)) return end_s;
    }
    return 0;
  }

  /// Excludes each device that is not needed, the hardest to free first.
  void leave_out(int count) {
    for (int level = static_cast<int>(Obstacle::immovable); level > 0; --level) {
      for (std::size_t at = 0; at < open_.size(); ++at) {
        if (!open_[at] || static_cast<int>(obstacles_[at]) != level) continue;
        open_[at] = false;
        if (!suffices(count)) open_[at] = true;
      }
    }
  }

  FreeingPlan freeing(int count, double wait_s) const {
    FreeingPlan found;
    const HostEntry& host = query_.fleet_state.hosts()[group_.host];
    for (const std::uint16_t number : lowest_devices(group_, count, open_)) {
      add(host.devices[number], wait_s, found);
    }
    return found;
  }

  void add(DeviceIndex device, double wait_s, FreeingPlan& found) const {
    const std::uint32_t bits = columns_.condition[device];
    if ((bits & condition_drained) != 0) found.drained.insert(device);
    if ((bits & condition_unusable) != 0) found.unusable.insert(device);
    if ((bits & condition_reserved) != 0) add_kept(device, found);
    const JobId& gang = columns_.gang[device];
    const Preemption* kept = makes_room(gang);
    if (kept != nullptr) {
      found.leaving.insert(gang);
      found.leaving_s = std::max(found.leaving_s, to_seconds(kept->grace_until - query_.now));
    } else if (!gang.empty()) {
      found.wait_s = std::max(found.wait_s, wait_s);
      if (columns_.busy_until[device] <= query_.now) found.ends.insert(gang);
    }
    for (const ReplicaIndex replica : replicas_) {
      query_.fleet_state.each_device(query_.fleet_state.replicas()[replica], [&](DeviceIndex each) {
        if (each == device) found.replicas.insert(replica);
      });
    }
  }

  void add_kept(DeviceIndex device, FreeingPlan& found) const {
    for (const Preemption& kept : kept_) {
      if (contains(kept.devices, device)) found.kept_for.insert(kept.job);
    }
  }

  const PlacementQuery& query_;
  const std::vector<Preemption>& kept_;
  const DeviceColumns& columns_;
  GroupIndex index_;
  const GroupEntry& group_;
  std::vector<Obstacle> obstacles_;
  std::vector<double> ends_s_;  // end of the gang; 0: no gang
  std::vector<ReplicaIndex> replicas_;
  std::vector<bool> open_;
};

std::string device_text(const FleetState& fleet_state, DeviceIndex device) {
  const HostEntry& host = fleet_state.hosts()[fleet_state.devices().host[device]];
  return fmt::format("{}/{}", host.registration.host, fleet_state.devices().number[device]);
}

std::map<HostIndex, std::set<DeviceIndex>> by_host(const FleetState& fleet_state,
                                                   const std::set<DeviceIndex>& devices) {
  std::map<HostIndex, std::set<DeviceIndex>> hosts;
  for (const DeviceIndex device : devices) hosts[fleet_state.devices().host[device]].insert(device);
  return hosts;
}

std::string short_names(const std::set<JobId>& jobs) {
  std::string text;
  for (const JobId& job : jobs) add_part(text, ", ", to_short_text(job));
  return text;
}

std::string replica_text(const PlacementQuery& query, const ReplicaEntry& entry) {
  std::string when;
  switch (obstacle_of(query, entry)) {
    case Obstacle::leaving:
      when = "once its requests have ended";
      break;
    case Obstacle::spare:
      when = "once surplus for " + duration_text(to_seconds(query.policy.replicas.yield_after));
      break;
    default:
      when = entry.replica.started_by_router
                 ? "if [replicas] manage is set to true and the replica is surplus"
                 : "if its agent is restarted without this replica";
  }
  return fmt::format("replica {} ({}) unloaded {}", to_text(entry.replica.id), entry.replica.model,
                     when);
}

}  // namespace

Reason FreeingPlan::reason() const {
  if (!unusable.empty() || !silent.empty()) return Reason::unhealthy;
  return drained.empty() ? Reason::capacity : Reason::drain;
}

bool FreeingPlan::by_itself(const PlacementQuery& query) const {
  return kept_for.empty() && std::ranges::all_of(replicas, [&](ReplicaIndex replica) {
           return obstacle_of(query, query.fleet_state.replicas()[replica]) != Obstacle::fixed;
         });
}

std::string FreeingPlan::text(const PlacementQuery& query) const {
  const FleetState& fleet_state = query.fleet_state;
  std::string text;
  if (wait_s > 0) text = duration_text(wait_s);
  if (!ends.empty() && wait_s <= 0) {
    text = fmt::format("when {} {} ended (overdue)", short_names(ends),
                       ends.size() == 1 ? "has" : "have");
  }
  if (!leaving.empty()) {
    add_part(
        text, ", and ",
        fmt::format("when {} {} been preempted for this job, within {}", short_names(leaving),
                    leaving.size() == 1 ? "has" : "have", duration_text(std::max(0.0, leaving_s))));
  }
  std::string left;
  for (const ReplicaIndex replica : replicas) {
    add_part(left, "; ", replica_text(query, fleet_state.replicas()[replica]));
  }
  add_part(text, ", and ", left);
  if (!kept_for.empty()) {
    add_part(
        text, ", and ",
        fmt::format("if job {} gives up the devices reserved for it there", short_names(kept_for)));
  }
  add_part(text, ", and ", resume_text(fleet_state, drained));
  add_part(text, ", and ", repair_text(fleet_state, unusable, silent));
  return text;
}

void FreeingPlan::make(const std::vector<Preemption>& kept, WhatIf& what_if) const {
  for (const JobId& job : leaving) what_if.fleet.end_gang(job);
  for (const JobId& job : ends) what_if.fleet.end_gang(job);
  if (wait_s > 0) what_if.pass(wait_s);
  for (const ReplicaIndex replica : replicas) what_if.fleet.unload_replica(replica);
  for (const Preemption& each : kept) {
    if (!kept_for.contains(each.job)) continue;
    for (const DeviceIndex device : each.devices) what_if.fleet.clear(device, condition_reserved);
  }
  resume(drained, what_if);
  repair(unusable, silent, what_if);
}

void FreeingPlan::add(const FreeingPlan& other) {
  wait_s = std::max(wait_s, other.wait_s);
  leaving_s = std::max(leaving_s, other.leaving_s);
  ends.insert(other.ends.begin(), other.ends.end());
  leaving.insert(other.leaving.begin(), other.leaving.end());
  replicas.insert(other.replicas.begin(), other.replicas.end());
  kept_for.insert(other.kept_for.begin(), other.kept_for.end());
  drained.insert(other.drained.begin(), other.drained.end());
  unusable.insert(other.unusable.begin(), other.unusable.end());
  silent.insert(other.silent.begin(), other.silent.end());
}

std::optional<FreeingPlan> cheapest_freeing_plan(const PlacementQuery& query,
                                                 const std::vector<Preemption>& kept,
                                                 GroupIndex group, int count) {
  const HostIndex index = query.fleet_state.groups()[group].host;
  const HostEntry& host = query.fleet_state.hosts()[index];
  if (host.draining) return std::nullopt;
  auto found = Site(query, kept, group).cheapest(count);
  if (found && host.health != Health::ok) found->silent.insert(index);
  return found;
}

std::string resume_text(const FleetState& fleet_state, const std::set<DeviceIndex>& drained) {
  std::string text;
  for (const auto& [host, devices] : by_host(fleet_state, drained)) {
    add_part(text, ", and ",
             devices.size() == 1 ? "resume " + device_text(fleet_state, *devices.begin())
                                 : "resume host:" + fleet_state.host_name(host));
  }
  return text;
}

void resume(const std::set<DeviceIndex>& drained, WhatIf& what_if) {
  const FleetState& fleet_state = what_if.fleet.fleet_state();
  for (const auto& [host, devices] : by_host(fleet_state, drained)) {
    if (devices.size() == 1) what_if.fleet.clear(*devices.begin(), condition_drained);
    if (devices.size() == 1) continue;
    for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
      what_if.fleet.clear(device, condition_drained);
    }
  }
}

std::string repair_text(const FleetState& fleet_state, const std::set<DeviceIndex>& unusable,
                        const std::set<HostIndex>& silent) {
  std::string text;
  for (const HostIndex host : silent) {
    add_part(text, ", and ", fmt::format("host {} responding again", fleet_state.host_name(host)));
  }
  std::string devices;
  for (const DeviceIndex device : unusable) {
    add_part(devices, ", ", device_text(fleet_state, device));
  }
  add_part(text, ", and ", devices.empty() ? "" : devices + " usable again");
  return text;
}

void repair(const std::set<DeviceIndex>& unusable, const std::set<HostIndex>& silent,
            WhatIf& what_if) {
  for (const HostIndex host : silent) {
    what_if.fleet.mark_host_healthy(host);
    for (const DeviceIndex device : what_if.fleet.fleet_state().hosts()[host].devices) {
      what_if.fleet.refresh_sample(what_if.now, device);
    }
  }
  for (const DeviceIndex device : unusable) {
    what_if.fleet.clear(device, condition_unusable);
    what_if.fleet.refresh_sample(what_if.now, device);
  }
}

}  // namespace drover::router
