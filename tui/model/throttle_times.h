// Throttle time: by how much the devices' counters grew while their samples were received. A
// counter that fell was reset by its agent's restart, and growth during a silence cannot be dated:
// neither counts.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "fleet/sample/sample.h"
#include "tui/model/device_table.h"

namespace drover::tui {

/// Causes of throttling, as NVML's violation counters distinguish them.
struct ThrottleCause {
  Metric metric;
  std::string_view name;
};
inline constexpr std::array<ThrottleCause, 3> throttle_causes = {
    {{Metric::power_violation, "power cap"},
     {Metric::thermal_violation, "thermal"},
     {Metric::board_limit_violation, "power brake"}}};

/// Device-seconds, in the order of throttle_causes.
using ThrottleTimes = std::array<double, throttle_causes.size()>;

class ThrottleTimeTracker {
 public:
  /// Called before and after rows of the table take a batch.
  void before(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  void after(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  /// The total growth of the counters; it never falls.
  const ThrottleTimes& sum() const { return sum_; }

 private:
  ThrottleTimes sum_{};
  std::vector<double> before_;  // kept, so that a batch allocates no memory
};

}  // namespace drover::tui
