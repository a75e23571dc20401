#include "devices/clock.h"

#include <algorithm>

#include "devices/power.h"

namespace drover::devices {

Sustained sustained(const DeviceSpec& device, std::optional<double> limit_w,
                    const std::function<Step(double)>& step_at) {
  const double limit = std::min(limit_w.value_or(device.tdp_w), device.tdp_w);
  Sustained found;
  found.step = step_at(1);
  // Each round takes the clock that the activities of the last one allow; few are needed, since
  // activities change little with the clock.
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round) {
    Step nominal = found.step;
    nominal.matrix_activity /= found.clock_share;
    const double share = clock_share_under_cap(device, nominal, limit);
    if (share == found.clock_share) break;
    found.clock_share = share;
    found.step = step_at(share);
  }
  found.power_w = power_w(device, found.step, true, found.clock_share);
  return found;
}

}  // namespace drover::devices
