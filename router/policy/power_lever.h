// Power caps of devices as a lever: where a pool or the site draws nearly as much as it may, or
// work waits for watts, the caps of its devices go down a step; where there is room again, they go
// up.
//
// Serving devices go first: decoding waits for memory, so a lower clock costs it little, while
// training and reading prompts slow down with the clock. Pure: the same devices give the same
// steps. What a step was worth samples show, and the next one is decided on them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/base/time.h"

namespace drover::router {

/// Shares of the power cap that the lever is for, and of what a device is made for.
struct LeverRules {
  bool used = false;
  double near = 0.95;  // of the cap: above it caps of devices go down
  double back = 0.85;  // of the cap: below it they go up again
  double floor = 0.6;  // of a device's own power: no lower, nor below what its kind allows
  double step = 0.1;   // of a device's own power, at a time
  Duration every{std::chrono::seconds(10)};
};

struct LeverDevice {
  std::uint32_t device = 0;  // any number that tells them apart
  double made_for_w = 0;
  double cap_min_w = 0;  // that its kind takes; made_for_w: it cannot be capped
  double cap_w = 0;      // in force
  double drawn_w = 0;    // believed
  bool serves = false;
};

/// One power cap and the devices under it.
struct LeverLimit {
  double cap_w = 0;
  double drawn_w = 0;       // believed, promises included
  bool work_waits = false;  // for watts
  std::vector<LeverDevice> devices;
};

struct CapStep {
  std::uint32_t device = 0;
  double cap_w = 0;
  bool operator==(const CapStep&) const = default;
};

/// The steps for this limit, in the order in which they were chosen: as many devices as it takes to
/// come back to `near`, or, where work waits, to free a step of the cap; each by one step, the
/// serving ones first, then those that draw most. Or upwards, as many as there is room for, the
/// others first. Nothing in between.
std::vector<CapStep> pull_lever(const LeverRules& rules, const LeverLimit& limit);

}  // namespace drover::router
