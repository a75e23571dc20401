// The query that candidates are checked against: from the job, the rule, and each pool.
#include <algorithm>
#include <set>

#include "fleet/base/search.h"
#include "router/decision/candidates.h"

namespace drover::router {

PlacementQuery make_query(const FleetState& fleet_state, const Policy& policy, const Rule& rule,
                          const PlacementRequest& request, const WorkClass* work_class, Instant now,
                          Purpose purpose) {
  const Workload& work = request.job->work;
  PlacementQuery query{
      .fleet_state = fleet_state, .policy = policy, .rule = rule, .request = request};
  query.needs = needs_of(policy, *request.job, work_class);
  query.now = now;
  query.purpose = purpose;
  query.waited_s = std::max(0.0, to_seconds(now - request.submitted));
  query.need_tokens = std::uint64_t{work.input_tokens} + work.output_tokens;
  query.far = policy.network.given() || !query.needs.data_set.empty();
  return query;
}

void accept_precisions(PlacementQuery& query, const std::vector<Precision>& of_rule) {
  const std::vector<Precision>& of_job = query.request.job->work.precisions;
  query.degraded = false;
  query.precisions = of_job.empty() ? of_rule : of_job;
  if (!of_job.empty() && !of_rule.empty()) {
    std::erase_if(query.precisions,
                  [&](Precision precision) { return !contains(of_rule, precision); });
  }
  query.none_accepted = query.precisions.empty() && !(of_job.empty() && of_rule.empty());
}

void set_pool(PlacementQuery& query, std::uint32_t pool_number) {
  const FleetState& fleet_state = query.fleet_state;
  query.pool_number = pool_number;
  query.pool = &query.policy.pools[pool_number];
  const Limits& limits = query.policy.limits;
  query.pool_cap_w = limits.pool_cap_w(query.pool->name);
  query.site_power_w = query.pool_power_w = query.pool_jobs = 0;
  if (query.pool_cap_w > 0 || limits.site_power_cap_w > 0) {
    std::int64_t site_mw = 0;
    std::int64_t pool_mw = 0;
    for (const GroupEntry& group : fleet_state.groups()) {
      if (group.gone || is_gone(fleet_state.hosts()[group.host].health)) continue;
      site_mw += group.estimated_mw;
      if (group.in_pool(pool_number)) pool_mw += group.estimated_mw;
    }
    query.site_power_w = static_cast<double>(site_mw) / 1000;
    query.pool_power_w = static_cast<double>(pool_mw) / 1000;
  }
  query.rack_power_w.clear();
  if (limits.rack_power_w > 0) {
    for (const GroupEntry& group : fleet_state.groups()) {
      const HostEntry& host = fleet_state.hosts()[group.host];
      if (group.gone || is_gone(host.health)) continue;
      query.rack_power_w[host.registration.rack] += static_cast<double>(group.estimated_mw) / 1000;
    }
  }
  if (query.pool->max_share >= 1) return;
  for (const ReplicaEntry& replica : fleet_state.replicas()) {
    if (replica.reserved_requests == 0 ||
        !fleet_state.groups()[replica.group].in_pool(pool_number)) {
      continue;
    }
    query.pool_jobs += replica.reserved_requests;
  }
  for (const GroupEntry& group : fleet_state.groups()) {
    if (!group.in_pool(pool_number)) continue;
    std::set<JobId> gangs;
    for (const DeviceIndex device : group.devices()) {
      if (!fleet_state.devices().gang[device].empty())
        gangs.insert(fleet_state.devices().gang[device]);
    }
    query.pool_jobs += static_cast<double>(gangs.size());
  }
}

}  // namespace drover::router
