#include "router/roster/spread.h"

#include <algorithm>

#include "fleet/codec/codec_limits.h"

namespace drover::router {
namespace {

/// Of one gang (assumed).
constexpr std::size_t gang_hosts_max = 64;

}  // namespace

void sort_rooms(std::vector<Room>& rooms) {
  std::stable_sort(rooms.begin(), rooms.end(),
                   [](const Room& a, const Room& b) { return a.devices > b.devices; });
}

Spread fill(const std::vector<Room>& rooms, int wanted) {
  Spread spread;
  for (std::size_t next = 0; next < rooms.size() && wanted > 0; ++next) {
    if (spread.parts.size() == gang_hosts_max) break;
    std::size_t best = next;  // of those that have enough the smallest
    for (std::size_t each = next; each < rooms.size() && rooms[each].devices >= wanted; ++each) {
      if (rooms[each].devices < rooms[best].devices) best = each;
    }
    spread.parts.push_back({rooms[best].group, std::min(rooms[best].devices, wanted)});
    wanted -= spread.parts.back().devices;
  }
  if (wanted > 0) spread.parts.clear();
  return spread;
}

bool can_be_written(const Roster& roster, const Spread& spread) {
  constexpr std::size_t around = 16, number = 5;
  std::size_t bytes = around;
  for (const Spread::Part& part : spread.parts) {
    const HostEntry& host = roster.hosts()[roster.groups()[part.group].host];
    bytes += host.hello.host.size() + 2 + number * static_cast<std::size_t>(part.devices);
  }
  return bytes <= codec::text_bytes_max;
}

}  // namespace drover::router
