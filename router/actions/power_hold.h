// A power cap that is met: how far the caps of devices go down, at once, so that what they draw
// together is no more than the cap; and how far they may go up again.
//
// All devices under a cap get the same share of what they are made for: a gang is as slow as its
// slowest device. What a device may draw at least is its kind's to say (its floor); one that takes
// no cap draws what it draws. Pure, and on the same values as the lever (power_lever.h), which
// moves a step at a time and is for those who want to be below their cap.
#pragma once

#include <cstddef>
#include <vector>

#include "router/policy/power_lever.h"

namespace drover::router {

/// Of the cap. Lowered is below `hold_aim`, raised below `hold_back`; nothing moves between the
/// latter and the cap itself, so that what goes down does not come up for being down.
inline constexpr double hold_aim = 0.97;
inline constexpr double hold_back = 0.85;
/// Smaller changes of a cap do not count.
inline constexpr double least_step_w = 1;

/// What lowers the limit's devices to `hold_aim`, or as near to it as their floors allow; nothing
/// while they draw no more than the cap.
std::vector<CapStep> lower_to_cap(const LeverLimit& limit);

/// The share of what it is made for that each device may have, when together they may draw so much
/// more than now: each could draw all that it is given. At most 1.
double share_with_room(const LeverLimit& limit, double room_w);

struct CapReach {
  double least_w = 0;        // with every device at its floor
  std::size_t lowered = 0;   // devices below what they are made for
  std::size_t at_floor = 0;  // of these
  std::size_t capless = 0;   // devices that take no cap
};
/// With these steps taken.
CapReach reach_of(const LeverLimit& limit, const std::vector<CapStep>& steps = {});

}  // namespace drover::router
