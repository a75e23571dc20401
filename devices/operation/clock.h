// The core clock of a chip: its voltage, its steps, and its value under a power limit. Clocks are
// shares of the nominal one, at which the peak rates are given; boost may be above 1.
#pragma once

#include <functional>
#include <optional>

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// Memory bandwidth, bytes/s. The memory has its own clock, but cores below `clock.memory_share` of
/// their nominal clock cannot use the whole bandwidth.
double memory_rate(const DeviceSpec& device, double clock_share);

/// f V^2 relative to the reference clock for which the generation's W per SM are given. Boards of
/// the same chip with lower clocks use less power.
double switching_share(const DeviceSpec& device, double clock_share);

/// The highest clock of the board.
double boost_share(const DeviceSpec::Clock& clock);

/// Steps from the nominal clock down to the slowest.
int clock_steps(const DeviceSpec::Clock& clock);
double clock_share_of(const DeviceSpec::Clock& clock, int steps_down);

/// Share of a step's time that scales with the clock: products and attention; all of it when the
/// step has no components.
double clock_bound(const Step& step);

/// The same work at `ratio` times the clock.
Step at_clock(const Step& step, double ratio);

/// A step at the clock that the power limit allows, and its power there.
struct PowerLimitedStep {
  Step step;
  double clock_share = 1;
  double power_w = 0;
};

/// `step_at` returns the step at a clock share. Without `limit_w` the board's own limit applies.
PowerLimitedStep power_limited_step(const DeviceSpec& device, std::optional<double> limit_w,
                                    const std::function<Step(double clock_share)>& step_at);

}  // namespace drover::devices
