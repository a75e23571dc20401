// Hypothetical changes to the fleet state for one query; the destructor undoes them all, the
// version included, so no later decision can see them.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "router/fleet_state/fleet_state.h"

namespace drover::router {

class WhatIfFleet {
 public:
  /// `heard_since`: a device without a sample since then is silent; its power estimate stays until
  /// a sample arrives, regardless of which work ends on it.
  explicit WhatIfFleet(FleetState& fleet_state, Instant heard_since = Instant{})
      : fleet_state_(fleet_state), version_(fleet_state.version_), heard_since_(heard_since) {}
  ~WhatIfFleet();
  WhatIfFleet(const WhatIfFleet&) = delete;
  WhatIfFleet& operator=(const WhatIfFleet&) = delete;

  const FleetState& fleet_state() const { return fleet_state_; }

  /// Unloads the replica: its devices idle, and their memory is free.
  void unload_replica(ReplicaIndex replica);
  /// Ends the gangs that are expected to end by then. Returns how many.
  std::size_t end_gangs(Instant by);
  void end_gang(const JobId& job);
  /// Clears these bits of PlacementCondition on the device.
  void clear(DeviceIndex device, std::uint32_t bits);
  void mark_host_healthy(HostIndex host);
  /// As if a sample with the same values as the last one had arrived at that instant.
  void refresh_sample(Instant at, DeviceIndex device);
  /// Clears the ejection of the replica; `no_index`: of the group.
  void clear_ejection(ReplicaIndex replica, GroupIndex group);
  /// Removes this many requests, and this many tokens of its KV cache.
  void reduce_load(ReplicaIndex replica, double requests, double tokens);
  /// Makes it ready for requests. `tokens_max`: size of its KV cache, used when it has not
  /// reported one.
  void make_ready(ReplicaIndex replica, double tokens_max);
  /// Sets the size of its KV cache, in tokens.
  void add_memory(ReplicaIndex replica, double tokens_max);
  /// Replaces the group's devices by this kind, which has `more_bytes` more memory. The spec must
  /// outlive the trial.
  void add_memory(GroupIndex group, const devices::DeviceSpec& spec, double more_bytes);
  /// Adds a loaded replica. REQUIRES a number that its host has not used.
  void load(Instant now, HostIndex host, const Replica& replica);

 private:
  template <typename Get>
  void keep(Get get) {
    undo_.push_back([get, before = get()] { get() = before; });
  }
  template <typename Get, typename Value>
  void change(Get get, Value value) {
    keep(get);
    get() = std::move(value);
  }
  /// Changes a device's value in one of FleetState's columns.
  template <typename T>
  void change(std::vector<T> DeviceColumns::*column, DeviceIndex device, T value) {
    change([this, column, device]() -> T& { return (fleet_state_.devices_.*column)[device]; },
           std::move(value));
  }
  /// As if a sample showed this power, reservations included.
  void draw(DeviceIndex device, float watts);
  void idle(DeviceIndex device);
  void end_gang(DeviceIndex device);

  FleetState& fleet_state_;
  std::uint64_t version_;
  Instant heard_since_;
  std::vector<std::function<void()>> undo_;  // run from the last to the first
};

}  // namespace drover::router
