#include "router/explain/what_if.h"

#include <algorithm>
#include <optional>

#include "devices/serving/performance.h"
#include "router/jobs/pool_reports.h"

namespace drover::router {

WhatIf::WhatIf(FleetState& fleet_state, const Policy& in_force, const PlacementRequest& asked,
               Instant at)
    : job(*asked.job),
      policy(in_force),
      request(asked),
      now(at),
      fleet(fleet_state, at - from_seconds(in_force.stale_after_s)) {
  request.job = &job;
}

void WhatIf::pass(double seconds) {
  const bool budgeted = policy.limits.budget_usd_per_h > 0;
  const double before_usd_per_h = budgeted ? spend_usd_per_h(fleet.fleet_state(), policy) : 0;
  now = saturating_add(now, from_seconds(seconds));
  const auto ended = static_cast<double>(fleet.end_gangs(now));
  request.running_jobs = std::max(0.0, request.running_jobs - ended);
  if (budgeted)
    request.spend_usd_per_h += spend_usd_per_h(fleet.fleet_state(), policy) - before_usd_per_h;
  // Devices that send samples continue to; silent ones stay silent.
  policy.stale_after_s += seconds;
}

bool WhatIf::places(Estimator& estimator) {
  // Estimates for hypothetical kinds of devices must not be memoised.
  std::optional<Estimator> imagined;
  if (!specs.empty()) imagined.emplace().learn_from(estimator);
  Estimator& used = imagined ? *imagined : estimator;
  RandomStream random(policy.seed);
  if (loads && !load(used, random)) return false;
  return decide(fleet.fleet_state(), policy, used, request, now, random).place.has_value();
}

/// Loads a replica for the job where the router would, ready for its first request.
bool WhatIf::load(Estimator& estimator, RandomStream& random) {
  const FleetState& fleet_state = fleet.fleet_state();
  const auto place = decide_replica(fleet_state, policy, estimator, request, now, random).place;
  if (!place) return false;
  const GroupEntry& group = fleet_state.groups()[place->group];
  const devices::Placement on{group.spec, static_cast<int>(place->devices.size()),
                              place->precision};
  Replica replica;
  replica.id = {fleet_state.host_name(place->host), fleet_state.next_replica_number(place->host)};
  replica.model = job.work.model;
  replica.precision = place->precision;
  replica.group = group.group.number;
  replica.devices = place->devices;
  replica.state = ReplicaState::ready;
  replica.batch_max = 1;
  replica.kv_capacity_tokens =
      static_cast<std::uint64_t>(devices::kv_capacity_tokens(on, *request.model));
  pass(place->run_s);
  fleet.load(now, place->host, replica);
  return true;
}

}  // namespace drover::router
