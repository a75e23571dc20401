// How much the router remembers of a fleet.
#pragma once

#include <cstddef>

namespace drover::router {

/// A broken limit makes `enrol` refuse the Hello.
inline constexpr std::size_t hosts_max = 20'000;  // those that were forgotten make room
inline constexpr std::size_t devices_per_host_max = 4096;
/// Rows, those that changed hosts do not use now included. A host whose devices change uses its own
/// again; one that comes to have more gets twice as many and leaves its own to others, as a host
/// that is forgotten does.
inline constexpr std::size_t devices_max = 2'000'000;
/// Distinct device specs of the fleet; one that differs in comments alone is the same. When there
/// are so many, those that no host has any more make room.
inline constexpr std::size_t specs_max = 1024;
/// Of them one host may have so many, so that no single one takes the room of the others: real
/// hosts have one to four. It takes 64 hosts that all have as many to fill the fleet's table.
inline constexpr std::size_t specs_per_host_max = 16;
/// Replicas of one host that are remembered, those that have gone included.
inline constexpr std::size_t replicas_known_per_host = 2 * 4096;
/// Live replicas that one host may report.
inline constexpr std::size_t replicas_per_host_max = 4096;

/// Those of the whole fleet, which tests make smaller.
struct RosterLimits {
  std::size_t hosts = hosts_max;
  std::size_t devices = devices_max;
};

}  // namespace drover::router
