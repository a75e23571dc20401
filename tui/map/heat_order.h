// The devices of the heat map in groups: every device that matches the filter, once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/device_list.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {

struct HeatGroup {
  std::string name;         // as received: not yet made printable
  std::uint32_t first = 0;  // in HeatOrder::rows
  std::uint32_t count = 0;
  std::uint32_t host = 0;  // its index, if grouped by host
};

struct HeatOrder {
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  Grouping grouping = Grouping::host;
  std::vector<DeviceTable::Row> rows;  // group by group; within a group by rack and host
  std::vector<std::uint32_t> places;   // index in `rows` by row of the model; nowhere: hidden
  std::vector<HeatGroup> groups;       // not empty, except for hosts without devices

  std::span<const DeviceTable::Row> rows_of(const HeatGroup& group) const {
    return std::span(rows).subspan(group.first, group.count);
  }
};

/// Orders racks, pools and kinds by name, GPUs before TPUs, devices of no pool last, and states
/// from ok to broken. Hosts without devices have a group while no filter is set.
HeatOrder order_devices(const Model& model, Instant now, Grouping grouping,
                        const FleetFilter& fleet_filter);

}  // namespace drover::tui
