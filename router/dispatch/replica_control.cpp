#include "router/dispatch/replica_control.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "router/decision/candidates.h"
#include "router/decision/criteria.h"
#include "router/fleet_state/what_if_fleet.h"
#include "router/policy/work_class.h"

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

/// Waits are estimates: devices are reserved for somewhat longer.
constexpr double wait_slack = 1.5;

struct Chosen {
  GroupIndex group = no_index;
  double wait_s = 0;
};

/// The group of these pools that lacks only free devices, and has them soonest.
std::optional<Chosen> soonest(PlacementQuery& query, Estimator& estimator) {
  const std::uint32_t capacity = filters_of(Reason::capacity);
  std::optional<Chosen> best;
  for (const std::string& name : query.rule.pools) {
    const auto pool = query.policy.pool_index(name);
    if (!pool || !query.fleet_state.pool_has_groups(*pool)) continue;
    set_pool(query, *pool);
    accept_precisions(query, query.rule.precisions);
    DecisionScratch& scratch = estimator.scratch();
    gather(query, estimator, scratch);
    const CandidateTable& rows = scratch.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      if (rows.failed[row] != capacity || rows.multi_host_gang_of(row) != nullptr) continue;
      if (!std::isfinite(rows.start_s[row])) continue;
      if (!best || rows.start_s[row] < best->wait_s) best = {rows.group[row], rows.start_s[row]};
    }
  }
  return best;
}

/// Its devices that are free by then, in the shape that the gang needs.
std::vector<std::uint16_t> devices_by(const FleetState& fleet_state, const GroupEntry& group,
                                      int count, Instant then) {
  const DeviceColumns& columns = fleet_state.devices();
  std::vector<bool> fits;
  for (const DeviceIndex device : group.devices()) {
    fits.push_back(!is_closed(columns, device) &&
                   (columns.gang[device].empty() || columns.busy_until[device] <= then));
  }
  return lowest_devices(group, count, fits);
}

}  // namespace

void ReplicaControl::manage(Instant now) {
  fleet_state.note_used(now);
  if (!policy.replicas.manage || waiting.closed()) return;
  std::set<std::string> without;  // models without a placement
  for (JobRecord* record : starved_requests(now, policy.replicas, queue)) {
    const std::string& model = record->job.work.model;
    if (!replica_controller.may_start(now, policy.replicas, model)) continue;
    if (start_replica(now, *record)) {
      without.erase(model);
    } else {
      without.insert(model);
    }
  }
  for (const std::string& model : without) replica_controller.tried(now, model);
  for (const ReplicaIndex index :
       idle_replicas(now, policy.replicas.retire_after, fleet_state, replica_controller)) {
    retire_replica(now, index, "unused", "");
  }
  yield_replicas(now);
}

bool ReplicaControl::start_replica(Instant now, JobRecord& record) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return false;
  // Devices may be reserved for it where replicas were unloaded.
  const Preemption* kept = preemptions.of(record.job.id);
  if (kept != nullptr) reserved.set_reserved(*kept, false);
  PlacementResult result = decide_replica(fleet_state, policy, estimator,
                                          dispatcher.ask_for(record, (*model)->spec), now, random);
  if (kept != nullptr) reserved.set_reserved(*kept, true);
  accounting.decided();
  if (result.decision.action != Action::start_replica || !result.place) return false;
  const Allocation& place = *result.place;
  const HostIndex host = place.host;
  const std::string& name = fleet_state.host_name(host);
  const auto peer = connections.peer_of(name);
  if (!peer) return false;

  Replica replica;
  replica.id = {name, fleet_state.next_replica_number(host)};
  replica.model = record.job.work.model;
  replica.precision = place.precision;
  replica.group = fleet_state.groups()[place.group].group.number;
  replica.devices = place.devices;
  replica.state = ReplicaState::loading;
  replica.ready_at = saturating_add(now, from_seconds(place.run_s));
  const ReplicaIndex index = fleet_state.apply(now, host, replica);
  if (index == no_index) return false;
  fleet_state.reserve_replica(now, index);
  replica_controller.started(now, replica.id, replica.model);

  StartReplica start;
  start.number = replica.id.number;
  start.model = replica.model;
  start.precision = place.precision;
  start.devices = place.devices;
  start.model_spec = dispatcher.spec_text_for(*peer, replica.model);
  outbox.send_in_order(now, {Channel::control, *peer}, std::move(start));
  result.decision.job = {};
  dispatcher.record_decision(now, nullptr, std::move(result.decision));
  publisher.publish_replica(now, replica, place.group);
  reserved.end(now, record.job.id, "");
  return true;
}

bool ReplicaControl::retire_replica(Instant now, ReplicaIndex index, std::string rule,
                                    std::string why) {
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  const auto peer = connections.peer_of(entry.replica.id.host);
  if (!peer || fleet_state.hosts()[entry.host].health != Health::ok) return false;
  Decision decision;
  decision.at = now;
  decision.model = entry.replica.model;
  decision.action = Action::retire_replica;
  decision.target = to_text(entry.replica.id);
  decision.pool = pool_of(fleet_state, policy, entry.group);
  decision.rule = std::move(rule);
  decision.change = std::move(why);
  decision.considered = 1;
  decision.fleet_version = fleet_state.version();
  outbox.send_in_order(now, {Channel::control, *peer}, RetireReplica{entry.replica.id.number});
  fleet_state.replica(index).retiring = true;
  accounting.decided();
  dispatcher.record_decision(now, nullptr, std::move(decision));
  return true;
}

// Unloading of surplus replicas.

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
  return std::ranges::any_of(on_host, [&](const JobRecord* record) {
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
    add_part(left, ", ", to_text(fleet_state.replicas()[index].replica.id));
  }
  if (left.empty()) return false;
  publisher.event(now, Severity::info, to_short_text(record.job.id),
                  "unloading surplus replicas to free devices for it: {}", left);
  if (record.job.id == reserved_for_share_) {
    reserved.end(now, record.job.id, "unloading surplus replicas frees devices sooner");
    reserved_for_share_ = JobId{};
  }
  reservation.grace_until = now;
  reservation.until = saturating_add(now, 2 * settings.lost_after);
  reserved.begin(std::move(reservation));
  return true;
}

// Fair shares for work of different sizes. Each device that becomes free goes to work that fits
// it, so a tenant with small jobs would get them all, and a tenant with gangs none, whatever their
// shares: the gang never finds enough devices at once.
//
// When the tenant furthest behind has a gang waiting for capacity, devices are reserved for it
// where they all become free soonest, as for preemption (preemption_control.cpp). Some of them
// idle until the last one is free, so this happens only if the tenant's deficit in device-seconds
// exceeds that cost, and for one gang at a time.

void ReplicaControl::reserve_fair_shares(Instant now) {
  if (!tenants.counts() || preemptions.of(reserved_for_share_) != nullptr) return;
  const JobRecord* furthest = nullptr;
  double least_time = 0;
  for (const auto& [signature, queue_class] : queue.classes()) {
    const bool waits = queue_class.kind == WorkKind::train && !queue_class.jobs.empty() &&
                       queue_class.result.reason == Reason::capacity;
    if (!waits) continue;
    const JobRecord* first = queue_class.jobs.begin()->second;
    if (now - first->wait_began() < policy.replicas.start_after) continue;
    const double time = tenants.virtual_time(first->job.tenant);
    const bool behind = furthest == nullptr || time < least_time ||
                        (time == least_time && first->number < furthest->number);
    if (!behind) continue;
    furthest = first;
    least_time = time;
  }
  if (furthest == nullptr || preemptions.of(furthest->job.id) != nullptr) return;
  const double deficit_device_s = tenants.deficit_device_s(furthest->job.tenant);
  if (reserve_devices(now, *furthest, deficit_device_s)) reserved_for_share_ = furthest->job.id;
}

bool ReplicaControl::reserve_devices(Instant now, const JobRecord& record,
                                     double deficit_device_s) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model || deficit_device_s <= 0) return false;
  const PlacementRequest request = dispatcher.ask_for(record, (*model)->spec);
  const WorkClass* work_class = class_of(policy, record.job, (*model)->spec);
  const Rule* rule = find_rule(policy, record.job, (*model)->spec, work_class);
  if (rule == nullptr) return false;
  PlacementQuery query =
      make_query(fleet_state, policy, *rule, request, work_class, now, Purpose::gang);
  const std::optional<Chosen> chosen = soonest(query, estimator);
  const int count = std::max<int>(1, record.job.work.devices);
  if (!chosen || count * chosen->wait_s > deficit_device_s) return false;
  const GroupEntry& group = fleet_state.groups()[chosen->group];
  const Instant then = saturating_add(now, from_seconds(chosen->wait_s));
  const auto numbers = devices_by(fleet_state, group, count, then);
  if (numbers.empty()) return false;
  const HostEntry& host = fleet_state.hosts()[group.host];
  Preemption kept;
  kept.job = record.job.id;
  kept.hosts = {group.host};
  for (const std::uint16_t number : numbers) kept.devices.push_back(host.devices[number]);
  kept.grace_until = now;
  kept.until =
      saturating_add(now, from_seconds(wait_slack * chosen->wait_s) + 2 * settings.lost_after);
  publisher.event(now, Severity::info, to_short_text(record.job.id),
                  "{} is reserved for it: tenant {} has a deficit of {:.0f} device-seconds",
                  target_text(host.registration.host, numbers), record.job.tenant,
                  deficit_device_s);
  reserved.begin(std::move(kept));
  return true;
}

}  // namespace drover::router
