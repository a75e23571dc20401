// Common to the estimates of all kinds: the step under the power limit, and the figures that follow
// from time and power.
#pragma once

#include "devices/estimate/estimate.h"
#include "devices/operation/clock.h"

namespace drover::devices {

inline constexpr double bytes_per_gib = 1024.0 * 1024.0 * 1024.0;

/// An estimate with time, components, power, clock and cost per step of sustained work.
Estimate estimate_from_step(const Case& question, const PowerLimitedStep& run);

/// Cost of all devices for `seconds`, $; negative when the price is unknown.
double cost_usd(const Case& question, double seconds);

Placement placement_of(const Case& question, int devices);

Error missing(const Case& question, std::string_view columns);

}  // namespace drover::devices
