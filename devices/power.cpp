// Watts from achieved activities.
//
//   P = idle or open
//     + duty * active * v(x) * x + matrix * u_matrix * v(x) + memory * u_memory + link * u_link
// x is the clock share and v(x) = (V/V_nominal)^2. Voltage follows frequency down to a knee and is
// flat below: v = x^2 above the knee x_k, x_k^2 below. So matrix work whose achieved rate falls
// with x draws x^3 above the knee and x_k^2 * x below, as measured under power caps on V100, A40
// and RTX 6000 (Zeus traces; knees 0.70 to 0.80).
#include <algorithm>
#include <cmath>

#include "devices/performance.h"
#include "devices/power.h"

namespace drover::devices {
namespace {

double voltage_squared(const DeviceSpec& device, double clock_share) {
  const double share = std::max(clock_share, device.clock_knee_share);
  return share * share;
}

/// The share of the matrix activity that is left at a clock, when it was measured at nominal.
Step slowed(Step activity, double clock_share) {
  activity.matrix_activity *= clock_share;
  return activity;
}

}  // namespace

double static_power_w(const DeviceSpec& device, bool context_open) {
  return context_open ? device.open_w : device.idle_w;
}

double power_w(const DeviceSpec& device, const Step& activity, bool context_open,
               double clock_share) {
  const double voltage = voltage_squared(device, clock_share);
  return static_power_w(device, context_open) +
         activity.duty * device.active_w * voltage * clock_share +
         activity.matrix_activity * device.matrix_w * voltage +
         activity.memory_activity * device.memory_w + activity.link_activity * device.link_w;
}

int clock_steps(const DeviceSpec& device) {
  return static_cast<int>(
      std::floor((1 - device.clock_min_share) / device.clock_step_share + 1e-9));
}

double clock_share_of(const DeviceSpec& device, int steps_down) {
  return 1 - steps_down * device.clock_step_share;
}

int steps_down_under_cap(const DeviceSpec& device, const Step& activity, bool context_open,
                         double cap_w) {
  const auto fits = [&](int steps_down) {
    const double share = clock_share_of(device, steps_down);
    return power_w(device, slowed(activity, share), context_open, share) <= cap_w;
  };
  if (fits(0)) return 0;  // as most work does
  // Power falls with every step down, so the first step that fits is found by halving.
  const int last = clock_steps(device);
  int low = std::min(1, last), high = last;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (fits(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

double clock_share_under_cap(const DeviceSpec& device, const Step& activity, double cap_w) {
  return clock_share_of(device, steps_down_under_cap(device, activity, true, cap_w));
}

}  // namespace drover::devices
