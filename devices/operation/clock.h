// The core clock of a chip: the voltage it needs, the steps it moves in, and where it settles when
// the power of a board is limited. A clock is a share of the nominal one, at which the peak rates
// are given; boost may be above 1.
#pragma once

#include <functional>
#include <optional>

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// Bandwidth of the memory, bytes/s. Its clock is its own, but cores that run below `memory_share`
/// of theirs ask for less than it has.
double memory_rate(const DeviceSpec& device, double clock_share);

/// Voltage at a clock, as a share of the voltage at the nominal clock: flat up to the knee, a
/// rising line above it.
double voltage_share(const DeviceSpec& device, double clock_share);

/// f V^2 as a share of that at the clock at which the generation's W per SM hold: boards of the
/// same chip at lower clocks burn less.
double switching_share(const DeviceSpec& device, double clock_share);

/// The highest clock that the board reaches.
double boost_share(const DeviceSpec& device);

/// Steps from the nominal clock down to the slowest.
int clock_steps(const DeviceSpec& device);
double clock_share_of(const DeviceSpec& device, int steps_down);

/// Share of a step's time that stretches as the clock falls: products and attention; all of it when
/// the step does not say what it is made of.
double clock_bound(const Step& step);

/// The same work when the clock becomes `ratio` times what it was.
Step at_clock(const Step& step, double ratio);

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
