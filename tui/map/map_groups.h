// The groups of the map as things that can be chosen and opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tui/map/heat_map.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {

/// The group with this name, in HeatOrder::groups; nothing if there is none with devices.
std::optional<std::uint32_t> group_named(const HeatOrder& order, std::string_view name);
/// The group whose first device is in the cell, if its name is on the map: maps of many hosts name
/// only some of them.
std::optional<std::uint32_t> group_named_at(const HeatMap& map, const HeatCell& cell);
/// The next group with devices; the same one at the end.
std::uint32_t next_group(const HeatOrder& order, std::uint32_t group, int step);
/// What a filter asks of a device of the group. Of several pools, all.
std::vector<FilterCondition> conditions_of(const Model& model, const HeatOrder& order,
                                           const HeatGroup& group);

}  // namespace drover::tui
