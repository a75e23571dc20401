// Panic mode: too little of a pool is healthy.
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

double devices_of(const FleetState& fleet_state, const CandidateTable& rows, std::size_t row) {
  const ReplicaIndex replica = rows.replica[row];
  if (replica != no_index) return fleet_state.replicas()[replica].facts.devices;
  return fleet_state.groups()[rows.group[row]].group.count;
}

}  // namespace

bool in_panic_mode(const PlacementQuery& query, const CandidateTable& rows) {
  if (query.healthy || query.purpose == Purpose::replica) return false;
  double healthy = 0;
  double total = 0;
  int living = 0;
  for (std::size_t row = 0; row < rows.size; ++row) {
    const std::uint32_t condition = rows.condition[row];
    if ((condition & condition_lost) != 0) continue;
    if (rows.multi_host_gang_of(row) != nullptr) continue;  // its groups have their own rows
    const double devices = devices_of(query.fleet_state, rows, row);
    ++living;
    total += devices;
    constexpr std::uint32_t unhealthy = condition_suspect | condition_unusable | condition_ejected;
    if ((condition & unhealthy) == 0) healthy += devices;
  }
  return living > 1 && healthy < query.policy.panic.below * total;
}

}  // namespace drover::router
