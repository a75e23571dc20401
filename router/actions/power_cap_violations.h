// Texts on why power is above a cap: what keeps devices from drawing less, or what they have not
// applied yet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "router/fleet_state/fleet_state.h"
#include "router/policy/power_cap_steps.h"

namespace drover::router {

struct IdleDraw {
  std::size_t devices = 0;
  double watts = 0;
};
/// Idle power of the devices under a cap; without a pool, of the site.
IdleDraw idle_draw(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool);

/// Why power cannot go lower even after these steps: "16 devices at their floor, 8 TPUs accept no
/// cap". REQUIRES that it is more than `limit.cap_w`.
std::string cap_floor_text(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                           const CappedGroup& limit, const std::vector<CapStep>& steps);

/// Why power is above the cap although it could be lower: "16 devices have not applied the caps
/// they were sent". `sent_w` returns the cap recently sent to a device, or nothing.
std::string cap_ignored_text(const FleetState& fleet_state, const CappedGroup& limit,
                             const std::function<std::optional<double>(DeviceIndex)>& sent_w);

}  // namespace drover::router
