#include "tui/model/throttle_times.h"

namespace drover::tui {

void ThrottleTimeTracker::before(const DeviceTable& devices, DeviceTable::Row first,
                                 DeviceTable::Row count) {
  before_.clear();
  for (const ThrottleCause& cause : throttle_causes) {
    for (DeviceTable::Row row = first; row < first + count; ++row) {
      before_.push_back(devices.value(row, cause.metric));
    }
  }
}

void ThrottleTimeTracker::after(const DeviceTable& devices, DeviceTable::Row first,
                                DeviceTable::Row count) {
  auto before = before_.begin();
  for (std::size_t i = 0; i < throttle_causes.size(); ++i) {
    for (DeviceTable::Row row = first; row < first + count; ++row, ++before) {
      const double grown = devices.value(row, throttle_causes[i].metric) - *before;
      if (grown > 0) sum_[i] += grown;  // false for NaN, too
    }
  }
}

}  // namespace drover::tui
