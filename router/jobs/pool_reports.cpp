#include "router/jobs/pool_reports.h"

#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

/// Devices in use, by group. A device shared by two replicas counts for both.
std::vector<std::uint32_t> working_devices(const FleetState& fleet_state) {
  std::vector<std::uint32_t> working(fleet_state.groups().size(), 0);
  const DeviceColumns& columns = fleet_state.devices();
  for (DeviceIndex device = 0; device < columns.size(); ++device) {
    if (!columns.gang[device].empty()) ++working[columns.group[device]];
  }
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (entry.reserved_requests == 0) continue;
    working[entry.group] += static_cast<std::uint32_t>(entry.replica.devices.size());
  }
  return working;
}

double spent_usd_per_h(const FleetState& fleet_state, const Policy& policy, GroupIndex group,
                       std::uint32_t working) {
  return working == 0 ? 0 : price_usd_per_h(fleet_state, policy, group) * working;
}

/// By device: whether it gets no new work because work failed there.
std::vector<bool> ejected_devices(const FleetState& fleet_state) {
  std::vector<bool> ejected(fleet_state.devices().size(), false);
  for (const GroupEntry& group : fleet_state.groups()) {
    if (!group.outlier.ejected || group.gone) continue;
    for (const DeviceIndex device : group.devices()) ejected[device] = true;
  }
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (!entry.outlier.ejected || entry.replica.state == ReplicaState::gone) continue;
    fleet_state.each_device(entry, [&](DeviceIndex device) { ejected[device] = true; });
  }
  return ejected;
}

PoolReport report_of(const FleetState& fleet_state, const GroupEntry& group,
                     const std::vector<bool>& ejected) {
  PoolReport report;
  const HostEntry& host = fleet_state.hosts()[group.host];
  if (host.health == Health::lost) {
    report.lost = group.group.count;
    return report;
  }
  const DeviceColumns& columns = fleet_state.devices();
  const bool suspect = host.health == Health::suspect;
  report.devices = group.group.count;
  for (const DeviceIndex device : group.devices()) {
    const std::uint32_t bits = columns.condition[device];
    const bool drained = host.draining || (bits & condition_drained) != 0;
    const bool unusable = (bits & condition_unusable) != 0;
    report.suspect += suspect ? 1 : 0;
    report.drained += drained ? 1 : 0;
    report.unusable += unusable ? 1 : 0;
    report.ejected += ejected[device] ? 1 : 0;
    report.usable += suspect || drained || unusable || ejected[device] ? 0 : 1;
    report.power_w += columns.power_w[device];
    report.power_reserved_w += columns.reserved_w[device];
  }
  return report;
}

void add(PoolReport& sum, const PoolReport& part) {
  sum.devices += part.devices;
  sum.usable += part.usable;
  sum.unusable += part.unusable;
  sum.drained += part.drained;
  sum.ejected += part.ejected;
  sum.suspect += part.suspect;
  sum.lost += part.lost;
  sum.power_w += part.power_w;
  sum.power_reserved_w += part.power_reserved_w;
  sum.spend_usd_per_h += part.spend_usd_per_h;
}

}  // namespace

std::vector<PoolReport> pool_reports(const FleetState& fleet_state, const Policy& policy,
                                     const std::map<std::string, std::uint64_t>& waiting) {
  std::vector<PoolReport> reports(policy.pools.size());
  for (std::size_t pool = 0; pool < reports.size(); ++pool) {
    const std::string& name = policy.pools[pool].name;
    reports[pool].name = name;
    reports[pool].power_cap_w = policy.limits.pool_cap_w(name);
    if (const std::uint64_t* jobs = find_in(waiting, name)) reports[pool].queued = *jobs;
  }
  const std::vector<std::uint32_t> working = working_devices(fleet_state);
  const std::vector<bool> ejected = ejected_devices(fleet_state);
  for (GroupIndex index = 0; index < fleet_state.groups().size(); ++index) {
    const GroupEntry& group = fleet_state.groups()[index];
    if (group.gone || group.pools.empty()) continue;
    if (fleet_state.hosts()[group.host].health == Health::left) continue;
    PoolReport part = report_of(fleet_state, group, ejected);
    part.spend_usd_per_h = spent_usd_per_h(fleet_state, policy, index, working[index]);
    for (const std::uint32_t pool : group.pools) add(reports[pool], part);
  }
  return reports;
}

double spend_usd_per_h(const FleetState& fleet_state, const Policy& policy) {
  const std::vector<std::uint32_t> working = working_devices(fleet_state);
  double usd_per_h = 0;
  for (GroupIndex index = 0; index < working.size(); ++index) {
    usd_per_h += spent_usd_per_h(fleet_state, policy, index, working[index]);
  }
  return usd_per_h;
}

}  // namespace drover::router
