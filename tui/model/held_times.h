// For how long something held the clocks of devices down: what their counters grew by while they
// were listened to. A counter that fell began anew with its agent; what came after a silence is of
// no known time: neither is counted.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "fleet/sample/sample.h"
#include "tui/model/device_table.h"

namespace drover::tui {

/// What holds a clock down, as NVML's violation counters part it.
struct Holder {
  Metric metric;
  std::string_view name;
};
inline constexpr std::array<Holder, 3> holders = {{{Metric::power_violation, "power cap"},
                                                   {Metric::thermal_violation, "heat"},
                                                   {Metric::board_violation, "power brake"}}};

/// Device-seconds, by the place in `holders`.
using HeldTimes = std::array<double, holders.size()>;

class HeldGrowth {
 public:
  /// Before rows of the table take a batch, and after.
  void before(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  void after(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  /// All that counters grew by; it never falls.
  const HeldTimes& sum() const { return sum_; }

 private:
  HeldTimes sum_{};
  std::vector<double> before_;  // kept, so that a batch takes no memory
};

}  // namespace drover::tui
