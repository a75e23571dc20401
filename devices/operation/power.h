// The power of a board from the activity of its units, and the effect of a power limit.
#pragma once

#include "devices/operation/clock.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// Power with no work running.
double static_power_w(const DeviceSpec::Power& power, bool context_open);

/// Watts at a clock share, without leakage variation and temperature. The activity is the one
/// achieved at that clock.
double power_w(const DeviceSpec& device, const Step& activity, bool context_open,
               double clock_share);

/// Mean power, under `limit_w`, of work that uses `free_w` without a limit; never above either of
/// them.
double limited_power_w(const DeviceSpec::Power& power, double free_w, double limit_w);

/// The clock share at which this work draws `target_w`; `activity` is as achieved at `at_share`.
/// The boost clock when it always draws less, the slowest clock when it always draws more.
double clock_share_at(const DeviceSpec& device, const Step& activity, double at_share,
                      double target_w);

/// The number of clock steps below the nominal clock that keeps one phase of work at or under the
/// cap; the slowest step when none does. The activity is given at the nominal clock. Used by the
/// controller of a chassis.
int steps_down_under_cap(const DeviceSpec& device, const Step& activity, bool context_open,
                         double cap_w);

}  // namespace drover::devices
