// A gang over several hosts: how many devices of which groups it takes.
#pragma once

#include <string_view>
#include <vector>

#include "router/fleet_state/fleet_state.h"

namespace drover::router {

/// Devices of each of these groups, all of one kind.
struct MultiHostGang {
  struct Part {
    GroupIndex group = 0;
    int devices = 0;
  };
  std::vector<Part> parts;  // at least two
};

/// Free devices of one group.
struct FreeCapacity {
  GroupIndex group = 0;
  int devices = 0;
  std::string_view rack;
};

/// Sorts by free devices, largest first; equal ones keep their order.
void sort_by_capacity(std::vector<FreeCapacity>& capacities);

/// Takes `count` devices from these capacities, sorted largest first: it uses few hosts and puts
/// the remainder where it fits best. Empty when there are too few devices, or when it would take
/// too many hosts.
MultiHostGang fill(const std::vector<FreeCapacity>& capacities, int count);

/// Whether the gang fits into a target's text, which messages and the ledger must not cut:
/// "host/4095,4094 host/..".
bool fits_target_text(const FleetState& fleet_state, const MultiHostGang& spread);

}  // namespace drover::router
