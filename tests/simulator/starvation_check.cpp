#include "tests/simulator/starvation_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "router/policy/work_class.h"
#include "simulator/placement_validator.h"

namespace drover::simulator {

std::vector<std::string> StarvationCheck::starved_jobs(
    const std::map<JobId, JobChanged>& jobs) const {
  std::vector<std::string> waits;
  for (const auto& [id, changed] : jobs) {
    if (changed.state != JobState::queued || has_guards_) continue;
    if (changed.reason == Reason::tenancy && wants_more_than_its_share(changed.job)) continue;
    const std::string place = place_for(changed);
    if (place.empty()) continue;
    waits.push_back(fmt::format("{} waits for {} for ever, and there is {}", to_text(id),
                                changed.reason ? to_text(*changed.reason) : "nothing", place));
  }
  return waits;
}

std::string StarvationCheck::place_for(const JobChanged& waits) const {
  const Pools pools = pools_for(waits);
  return waits.job.work.kind == WorkKind::train ? free_devices(waits.job.work, pools)
                                                : ready_replica(waits.job.work, pools);
}

StarvationCheck::Pools StarvationCheck::pools_for(const JobChanged& waits) const {
  const devices::ModelSpec& model = (*catalogue_.model(waits.job.work.model))->spec;
  const router::Rule* rule =
      router::find_rule(policy_, waits.job, model, router::class_of(policy_, waits.job, model));
  if (rule == nullptr) return {};
  Pools pools(rule->pools.begin(), rule->pools.end());
  for (const router::Fallback& fallback : rule->fallbacks) {
    const auto& on = fallback.on;
    const bool holds =
        on.empty() || !waits.reason || std::find(on.begin(), on.end(), *waits.reason) != on.end();
    if (holds && !fallback.to.empty()) pools.insert(fallback.to);
  }
  return pools;
}

bool StarvationCheck::is_in(const std::string& host, const Pools& pools) const {
  const auto told = world_.seen().hosts.find(host);
  return told != world_.seen().hosts.end() &&
         std::any_of(told->second.pools.begin(), told->second.pools.end(),
                     [&](const std::string& pool) { return pools.contains(pool); });
}

bool StarvationCheck::is_drained(const Replica& replica) const {
  return std::any_of(replica.devices.begin(), replica.devices.end(), [&](std::uint16_t device) {
    return world_.seen().drained.contains({replica.id.host, device});
  });
}

bool StarvationCheck::wants_more_than_its_share(const Job& job) const {
  const auto limit = policy_.limits.tenants.find(job.tenant);
  if (limit == policy_.limits.tenants.end() || limit->second.borrow) return false;
  double devices = 0, shares = 0;
  for (const agents::AgentSettings& host : hosts_) devices += host.groups.at(0).count;
  for (const auto& [tenant, each] : policy_.limits.tenants) shares += each.share;
  return job.work.devices > limit->second.share / shares * devices;
}

bool StarvationCheck::runs(const Workload& work, const std::string& device, int count,
                           Precision precision) const {
  return placement_violations({&work, &(*catalogue_.model(work.model))->spec,
                               &(*catalogue_.device(device))->spec, count, precision})
      .empty();
}

std::string StarvationCheck::free_devices(const Workload& work, const Pools& pools) const {
  for (const agents::AgentSettings& host : hosts_) {
    if (!is_in(host.host, pools)) continue;
    const agents::GroupRequest& group = host.groups.at(0);
    std::set<std::uint16_t> held;
    for (const auto& [name, device] : world_.seen().drained) {
      if (name == host.host) held.insert(device);
    }
    for (const auto& [name, each] : world_.seen().replicas) {
      if (each.id.host != host.host || each.state == ReplicaState::gone) continue;
      held.insert(each.devices.begin(), each.devices.end());
    }
    // Slices have shapes: of TPUs whole groups alone are told free.
    if (!group.topology.empty() && !held.empty()) continue;
    if (group.count - held.size() < work.devices) continue;
    for (int each = 0; each < precision_count; ++each) {
      if (runs(work, group.device, work.devices, static_cast<Precision>(each))) return host.host;
    }
  }
  return "";
}

/// Policies ask for 16 bits or do not mind them.
std::string StarvationCheck::ready_replica(const Workload& work, const Pools& pools) const {
  for (const auto& [name, each] : world_.seen().replicas) {
    const bool wide = each.precision == Precision::bf16 || each.precision == Precision::fp16;
    if (each.state != ReplicaState::ready || each.model != work.model || !wide) continue;
    const std::string& owner = each.id.host;
    if (!is_in(owner, pools) || is_drained(each)) continue;
    const auto host = std::find_if(hosts_.begin(), hosts_.end(),
                                   [&](const auto& settings) { return settings.host == owner; });
    const int count = static_cast<int>(each.devices.size());
    if (runs(work, host->groups.at(0).device, count, each.precision)) return name;
  }
  return "";
}

}  // namespace drover::simulator
