// A gang over hosts: which groups hold how much of it.
#pragma once

#include <string_view>
#include <vector>

#include "router/roster/roster.h"

namespace drover::router {

/// So many devices of each of these groups, all of one kind.
struct Spread {
  struct Part {
    GroupIndex group = 0;
    int devices = 0;
  };
  std::vector<Part> parts;  // at least two
};

/// What one group gives.
struct Room {
  GroupIndex group = 0;
  int devices = 0;
  std::string_view rack;
};

/// The largest first; of equals in their order.
void sort_rooms(std::vector<Room>& rooms);

/// So many devices of these rooms, the largest of which come first: few hosts, and what is left
/// where it fits best. Nothing when there are fewer, or when it would take too many hosts.
Spread fill(const std::vector<Room>& rooms, int wanted);

/// Messages and the ledger carry a place as text that must not be cut: "host/4095,4094 host/..".
bool can_be_written(const Roster& roster, const Spread& spread);

}  // namespace drover::router
