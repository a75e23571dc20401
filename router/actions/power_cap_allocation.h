// Power caps that must be met: how far device caps go down, at once, so that their total power is
// no more than the cap; and how far they may rise again.
//
// All devices under a cap get the same share of their rated power, because a gang is as slow as
// its slowest device. Each kind has a minimum cap (its floor); a device without power capping
// draws what it draws. Pure, on the same values as the power lever
// (router/policy/power_cap_steps.h), which moves one step at a time and keeps power below the cap.
#pragma once

#include <cstddef>
#include <vector>

#include "router/policy/power_cap_steps.h"

namespace drover::router {

/// Shares of the cap: power is lowered to `cap_target_share`, and raised only up to
/// `cap_release_share`. Nothing moves between the latter and the cap, so that a lowered cap does
/// not rise just because it was lowered.
inline constexpr double cap_target_share = 0.97;
inline constexpr double cap_release_share = 0.85;

/// Steps that lower the group's power to `cap_target_share`, or as near to it as the floors allow;
/// empty while its power is within the cap.
std::vector<CapStep> lower_to_cap(const CappedGroup& limit);

/// The share of its rated power to which each device may be capped so that together they draw at
/// most `headroom_w` more than now, if each draws up to its cap. At most 1.
double share_with_headroom(const CappedGroup& limit, double headroom_w);

struct CapReach {
  double least_w = 0;        // total power with every device at its floor
  std::size_t at_floor = 0;  // devices whose cap cannot go lower
};
/// The reach after these steps.
CapReach reach_of(const CappedGroup& limit, const std::vector<CapStep>& steps = {});

}  // namespace drover::router
