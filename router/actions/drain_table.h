// Drain and resume orders of operators, by target, in sequence. The last order for a device
// applies, so "resume host:h1" after "drain site" lets work run on that host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/target.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"

namespace drover::router {

/// One device with everything by which a target can name it.
struct DeviceLocation {
  std::string_view host;
  std::string_view rack;
  std::uint16_t number = 0;
  std::vector<std::string_view> pools;
};

/// REQUIRES that the host has the device.
DeviceLocation location_of(const FleetState& fleet_state, const Policy& policy, HostIndex host,
                           std::uint16_t number);
bool covers(const Target& target, const DeviceLocation& device);
/// The host's devices that the target covers, in order.
std::vector<std::uint16_t> covered_devices(const Target& target, const FleetState& fleet_state,
                                           const Policy& policy, HostIndex host);

class DrainTable {
 public:
  struct Order {
    Target target;
    bool drained = true;
    Instant deadline = never;  // then work that still runs there is requeued
  };

  /// REQUIRES that the target parses.
  void apply(Instant now, const SetDrain& order);
  /// The order that drains this device; null: it is not drained.
  const Order* order_for(const DeviceLocation& device) const;
  /// Whether this target itself is drained, whatever later orders say about parts of it.
  bool is_drained_target(const Target& target) const;
  /// Targets whose deadlines have passed since the last call.
  std::vector<Target> take_expired(Instant now);
  /// The next deadline; `never` when there is none.
  Instant next_deadline() const;

 private:
  std::vector<Order> orders_;   // oldest first, each target once
  Instant passed_ = Instant{};  // deadlines up to here were returned by take_expired
};

/// The target of a valid order: known in the fleet or the policy, or drained already.
Result<Target> check_drain(const SetDrain& order, const FleetState& fleet_state,
                           const Policy& policy, const DrainTable& drains);

/// "drain, 10m for running work", "resume".
std::string action_text(const SetDrain& order);

}  // namespace drover::router
