#include "router/fleet_state/multi_host_gang.h"

#include <algorithm>

#include "fleet/codec/limits.h"

namespace drover::router {
namespace {

/// Hosts of one gang (assumed).
constexpr std::size_t gang_hosts_max = 64;

}  // namespace

void sort_by_capacity(std::vector<FreeCapacity>& capacities) {
  std::ranges::stable_sort(capacities, [](const FreeCapacity& a, const FreeCapacity& b) {
    return a.devices > b.devices;
  });
}

MultiHostGang fill(const std::vector<FreeCapacity>& capacities, int count) {
  MultiHostGang spread;
  for (std::size_t next = 0; next < capacities.size() && count > 0; ++next) {
    if (spread.parts.size() == gang_hosts_max) break;
    std::size_t best = next;  // the smallest that has enough
    for (std::size_t each = next; each < capacities.size() && capacities[each].devices >= count;
         ++each) {
      if (capacities[each].devices < capacities[best].devices) best = each;
    }
    spread.parts.push_back({capacities[best].group, std::min(capacities[best].devices, count)});
    count -= spread.parts.back().devices;
  }
  if (count > 0) spread.parts.clear();
  return spread;
}

bool fits_target_text(const FleetState& fleet_state, const MultiHostGang& spread) {
  constexpr std::size_t around = 16, number = 5;
  std::size_t bytes = around;
  for (const MultiHostGang::Part& part : spread.parts) {
    const HostEntry& host = fleet_state.host_of_group(part.group);
    bytes += host.registration.host.size() + 2 + number * static_cast<std::size_t>(part.devices);
  }
  return bytes <= codec::text_bytes_max;
}

}  // namespace drover::router
