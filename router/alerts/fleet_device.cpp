#include "router/alerts/fleet_device.h"

#include "fleet/base/search.h"
#include "router/jobs/accounting.h"

namespace drover::router {

const HostEntry& FleetDevice::host() const {
  return fleet_.fleet_state.hosts()[fleet_.fleet_state.devices().host[device_]];
}

const GroupEntry& FleetDevice::entry() const { return fleet_.fleet_state.group_of_device(device_); }

double FleetDevice::reading(Metric metric) const {
  return is_known(condition()) ? router::reading(fleet_.fleet_state.devices(), device_, metric)
                               : absent;
}

DeviceCondition FleetDevice::condition() const {
  const DeviceColumns& columns = fleet_.fleet_state.devices();
  const ReportedCondition& known =
      fleet_.conditions.of({columns.host[device_], columns.number[device_]});
  DeviceCondition condition;
  condition.health = host().health;
  condition.usable = known.usable;
  condition.faulty = !known.faults.empty();
  condition.drained = known.drained;
  condition.stale_after_s =
      drover::stale_after_s(fleet_.policy.stale_after_s, host().registration.sample_every);
  const Instant sampled = columns.sampled[device_];
  if (sampled != Instant{}) condition.age_s = to_seconds(fleet_.now - sampled);
  return condition;
}

double FleetDevice::slowdown_c() const {
  // Software throttles a device before its hardware does.
  const devices::DeviceSpec& spec = *entry().spec;
  return spec.thermal.max_c > 0 ? spec.thermal.max_c : spec.thermal.slowdown_c;
}

const Board* FleetDevice::board() const {
  const DeviceColumns& columns = fleet_.fleet_state.devices();
  return find_in(fleet_.boards, DeviceKey{columns.host[device_], columns.number[device_]});
}

double FleetDevice::price_usd_per_h() const {
  return router::price_usd_per_h(fleet_.fleet_state, fleet_.policy,
                                 fleet_.fleet_state.devices().group[device_]);
}

void FleetDevice::each_pool(const PoolVisitor& visit) const {
  for (const std::uint32_t pool : entry().pools) visit(fleet_.policy.pools[pool].name);
}

void FleetDevice::each_replica(const ReplicaVisitor& visit) const {
  for (const ReplicaIndex replica : host().replicas) {
    const Replica& loaded = fleet_.fleet_state.replicas()[replica].replica;
    if (contains(loaded.devices, index())) visit(loaded);
  }
}

void FleetDevice::each_job(const JobVisitor& visit) const {
  const std::string& name = host().registration.host;
  for (const JobRecord* record : fleet_.jobs.on_host(name)) {
    const Member* member = record->lease.member(name);
    if (member == nullptr) continue;
    if (contains(member_devices(fleet_.fleet_state, *record, *member), index())) {
      visit(record->job, pause_of(*record));
    }
  }
}

void FleetDevice::each_alert(const AlertVisitor& visit) const {
  for (const Alert& alert : fleet_.alerts.raised()) visit(alert.subject, alert.rule);
}

}  // namespace drover::router
