#include "tui/model/held_times.h"

namespace drover::tui {

void HeldGrowth::before(const DeviceTable& devices, DeviceTable::Row first,
                        DeviceTable::Row count) {
  before_.clear();
  for (const Holder& holder : holders) {
    for (DeviceTable::Row row = first; row < first + count; ++row) {
      before_.push_back(devices.value(row, holder.metric));
    }
  }
}

void HeldGrowth::after(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count) {
  auto before = before_.begin();
  for (std::size_t i = 0; i < holders.size(); ++i) {
    for (DeviceTable::Row row = first; row < first + count; ++row, ++before) {
      const double grown = devices.value(row, holders[i].metric) - *before;
      if (grown > 0) sum_[i] += grown;  // also false of what is not known
    }
  }
}

}  // namespace drover::tui
