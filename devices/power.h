// The clock in steps, and the largest that a power cap allows: what the chassis' controller uses.
#pragma once

#include "devices/performance.h"

namespace drover::devices {

/// Drawn with nothing running.
double static_power_w(const DeviceSpec& device, bool context_open);

/// Steps from the nominal clock down to the slowest.
int clock_steps(const DeviceSpec& device);
double clock_share_of(const DeviceSpec& device, int steps_down);

/// Fewest steps down at which this activity, given as at the nominal clock, draws at most `cap_w`;
/// the last step when none does.
int steps_down_under_cap(const DeviceSpec& device, const Step& activity, bool context_open,
                         double cap_w);

}  // namespace drover::devices
