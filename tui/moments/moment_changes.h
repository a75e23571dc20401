// What is different at two moments of a fleet. Only the moments are compared: what came and went in
// between is in the router's counts alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "tui/moments/moment_snapshot.h"

namespace drover::tui {

/// Devices of each metric with the greatest changes that are kept.
inline constexpr std::size_t device_changes_max = 10;

struct DeviceChange {
  DeviceId id;
  double before = 0, after = 0;
};

/// What may have happened to a host or a device.
enum class StateChange : std::uint8_t {
  host_lost,
  host_back,  // from being lost
  host_joined,
  host_left,  // cleanly, or it is no longer known
  unusable,
  usable,
  throttling,
  not_throttling,
  silent,  // its samples have stopped
  heard,
  faulty,
  repaired,
  drained,
  resumed,
};
inline constexpr std::size_t state_change_count = 14;

/// A pool of the router's sums; none at the moment at which the policy did not have it.
struct PoolChange {
  std::string name;
  std::optional<PoolReport> before, after;
};

/// What the router counted from one moment to the other.
struct CountedChange {
  std::uint64_t accepted = 0, finished = 0, failed = 0, cancelled = 0;
  std::uint64_t retries = 0, preempted = 0, decisions = 0;
  std::map<Reason, std::uint64_t> fallbacks, failures;  // those that grew
  double energy_j = 0, cost_usd = 0;                    // of the fleet
};

struct MomentChanges {
  Instant from{}, to{};
  bool mark_is_later = false;  // the moments were exchanged so that `from` is the earlier one
  // In the order of compared_readings, the greatest change first.
  std::array<std::vector<DeviceChange>, compared_readings.size()> readings;
  // Hosts, or devices in the order of their hosts; devices of hosts that are gone are left out.
  std::array<std::vector<std::string>, state_change_count> hosts;
  std::array<std::vector<DeviceId>, state_change_count> devices;
  std::vector<PoolChange> pools;  // that differ, in the policy's order
  std::vector<MomentAlert> raised, cleared;
  std::optional<Summary> before, after;  // the router's sums
  /// None if one of the sums is not known, or if a router with another ledger counted them.
  std::optional<CountedChange> counted;

  const std::vector<std::string>& hosts_of(StateChange change) const {
    return hosts[static_cast<std::size_t>(change)];
  }
  const std::vector<DeviceId>& devices_of(StateChange change) const {
    return devices[static_cast<std::size_t>(change)];
  }
};

/// Compares the marked moment with another one, which may be earlier.
MomentChanges changes_between(const MomentSnapshot& mark, const MomentSnapshot& other);

}  // namespace drover::tui
