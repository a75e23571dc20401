// Sustained work under a board's power limit: the clock at which the averaged power meets it.
#pragma once

#include <functional>
#include <optional>

#include "devices/performance.h"
#include "devices/spec.h"

namespace drover::devices {

/// A step at the clock that the power limit allows, and what it draws there.
struct Sustained {
  Step step;
  double clock_share = 1;
  double power_w = 0;
};

/// `step_at` answers the step at a clock share. The limit is the board's own when none is given.
Sustained sustained(const DeviceSpec& device, std::optional<double> limit_w,
                    const std::function<Step(double clock_share)>& step_at);

}  // namespace drover::devices
