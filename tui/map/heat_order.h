// Which devices are on the heat map, group by group: every device that the filter leaves, once.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/grouping.h"
#include "tui/tables/narrowing.h"

namespace drover::tui {

struct HeatGroup {
  std::string name;         // as told: not yet cleaned
  std::uint32_t first = 0;  // in HeatOrder::rows
  std::uint32_t count = 0;
  std::uint32_t host = 0;  // its number, grouped by host
};

struct HeatOrder {
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  Grouping grouping = Grouping::host;
  std::vector<DeviceTable::Row> rows;  // groups one behind the other; within one by rack and host
  std::vector<std::uint32_t> places;   // in `rows`, by row of the model; nowhere: hidden
  std::vector<HeatGroup> groups;       // none is empty, but for hosts without devices

  std::span<const DeviceTable::Row> rows_of(const HeatGroup& group) const {
    return std::span(rows).subspan(group.first, group.count);
  }
};

/// Racks, pools and kinds by name, GPUs before TPUs, devices of no pool last; states from well to
/// broken. Hosts without devices have a group while no filter is set.
HeatOrder order_devices(const Model& model, Instant now, Grouping grouping,
                        const Narrowing& narrowing);

}  // namespace drover::tui
