// Unloading of surplus replicas.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fleet/base/contains.h"
#include "router/dispatch/replica_control.h"
#include "router/fleet_state/what_if_fleet.h"

namespace drover::router {
namespace {

/// Jobs tried per heartbeat.
constexpr std::size_t yield_jobs_max = 16;

using YieldKey = ReplicaControl::YieldKey;
using Seekers = std::map<YieldKey, JobRecord*>;

/// The oldest job of each class that has waited for `waited`, the most urgent first. The published
/// reason is that of the preferred pool: devices of another pool may still help. Only the retry
/// budget does not depend on devices.
Seekers seekers(Instant now, Duration waited, const JobQueue& queue) {
  Seekers found;
  for (const auto& [signature, queue_class] : queue.classes()) {
    const std::optional<Reason> reason = queue_class.result.reason;
    if (queue_class.jobs.empty() || !reason || *reason == Reason::budget) continue;
    JobRecord* first = queue_class.jobs.begin()->second;
    if (now - first->wait_began() < waited) continue;
    found.emplace(YieldKey(-queue_class.priority, first->number), first);
  }
  return found;
}

std::vector<DeviceIndex> devices_at(const FleetState& fleet_state, const Allocation& place) {
  std::vector<DeviceIndex> devices;
  const auto add = [&](HostIndex host, const std::vector<std::uint16_t>& numbers) {
    for (const std::uint16_t number : numbers) {
      devices.push_back(fleet_state.hosts()[host].devices[number]);
    }
  };
  add(place.host, place.devices);
  for (const AllocationPart& part : place.others) add(part.host, part.devices);
  return devices;
}

}  // namespace

void ReplicaControl::yield_replicas(Instant now) {
  if (now < next_yield_) return;
  next_yield_ = saturating_add(now, settings.heartbeat_every);
  reserve_fair_shares(now);
  surplus_replicas_.update(now, fleet_state, policy, replica_controller);
  auto spare = surplus_replicas_.surplus_for(now, policy.replicas.yield_after);
  std::erase_if(spare, [&](ReplicaIndex index) { return is_long_busy(index); });
  if (spare.empty()) return;
  const Seekers seeking = seekers(now, policy.replicas.start_after, queue);
  // If there are more than are tried at once, the others follow next time.
  auto next =
      seeking.size() > yield_jobs_max ? seeking.upper_bound(last_yield_job_) : seeking.begin();
  const std::size_t most = std::min(seeking.size(), yield_jobs_max);
  for (std::size_t asked = 0; asked < most && !spare.empty(); ++asked, ++next) {
    if (next == seeking.end()) next = seeking.begin();
    last_yield_job_ = next->first;
    const JobId& job = next->second->job.id;
    // Devices reserved until others end may come later than those of a surplus replica.
    if (preemptions.of(job) != nullptr && job != reserved_for_share_) continue;
    if (!unload_for(now, *next->second, spare)) continue;
    std::erase_if(spare,
                  [&](ReplicaIndex index) { return fleet_state.replicas()[index].retiring; });
  }
}

/// Its devices would be reserved no longer than a reservation lasts.
bool ReplicaControl::is_long_busy(ReplicaIndex index) const {
  const ReplicaId& id = fleet_state.replicas()[index].replica.id;
  const double longest_s = to_seconds(2 * settings.lost_after);
  const auto on_host = jobs.on_host(id.host);
  return std::any_of(on_host.begin(), on_host.end(), [&](const JobRecord* record) {
    return record->lease.replica == id.number && record->remaining_s > longest_s;
  });
}

std::optional<Allocation> ReplicaControl::placement_without(
    Instant now, const JobRecord& record, const std::vector<ReplicaIndex>& unloaded) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return std::nullopt;
  const PlacementRequest request = dispatcher.ask_for(record, (*model)->spec);
  WhatIfFleet what_if(fleet_state);
  for (const ReplicaIndex index : unloaded) what_if.unload_replica(index);
  RandomStream tried = random;  // a copy: later decisions draw as without this query
  PlacementResult result =
      record.job.work.kind == WorkKind::train
          ? decide(fleet_state, policy, estimator, request, now, tried)
          : decide_replica(fleet_state, policy, estimator, request, now, tried);
  return std::move(result.place);
}

bool ReplicaControl::unload_for(Instant now, const JobRecord& record,
                                const std::vector<ReplicaIndex>& spare) {
  std::optional<Allocation> place;
  // If the job fits without unloading, nothing is unloaded.
  for (std::size_t count = 0; !place; count = std::max<std::size_t>(1, 2 * count)) {
    count = std::min(count, spare.size());
    place = placement_without(now, record,
                              {spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(count)});
    if (count == spare.size()) break;
  }
  if (!place || place->replica) return false;
  Preemption reservation;
  reservation.job = record.job.id;
  reservation.devices = devices_at(fleet_state, *place);
  std::set<HostIndex> hosts{place->host};
  for (const AllocationPart& part : place->others) hosts.insert(part.host);
  reservation.hosts.assign(hosts.begin(), hosts.end());
  std::string left;
  for (const ReplicaIndex index : spare) {
    bool is_there = false;
    fleet_state.each_device(fleet_state.replicas()[index], [&](DeviceIndex device) {
      is_there |= contains(reservation.devices, device);
    });
    const std::string why =
        fmt::format("surplus: unloaded to free devices for {}", to_short_text(record.job.id));
    if (!is_there || !retire_replica(now, index, "is unloaded", why)) continue;
    left += fmt::format("{}{}", left.empty() ? "" : ", ",
                        to_text(fleet_state.replicas()[index].replica.id));
  }
  if (left.empty()) return false;
  publisher.event(now, Severity::info, to_short_text(record.job.id),
                  fmt::format("unloading surplus replicas to free devices for it: {}", left));
  if (record.job.id == reserved_for_share_) {
    reserved.end(now, record.job.id, "unloading surplus replicas frees devices sooner");
    reserved_for_share_ = JobId{};
  }
  reservation.grace_until = now;
  reservation.until = saturating_add(now, 2 * settings.lost_after);
  reserved.begin(std::move(reservation));
  return true;
}

}  // namespace drover::router
