#include "tui/map/map_groups.h"

#include <algorithm>

namespace drover::tui {

std::optional<std::uint32_t> group_named(const HeatOrder& order, std::string_view name) {
  const auto found = std::ranges::find_if(
      order.groups, [&](const HeatGroup& group) { return group.count > 0 && group.name == name; });
  if (found == order.groups.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - order.groups.begin());
}

std::optional<std::uint32_t> group_named_at(const HeatMap& map, const HeatCell& cell) {
  const auto found = std::ranges::find_if(map.labels, [&](const HeatLabel& label) {
    const HeatGroup& group = map.order.groups[label.group];
    return group.count > 0 && group.first >= cell.first && group.first < cell.first + cell.count;
  });
  return found == map.labels.end() ? std::nullopt : std::optional(found->group);
}

std::uint32_t next_group(const HeatOrder& order, std::uint32_t group, int step) {
  const auto count = static_cast<int>(order.groups.size());
  for (int next = static_cast<int>(group) + step; next >= 0 && next < count; next += step) {
    if (order.groups[static_cast<std::size_t>(next)].count > 0) {
      return static_cast<std::uint32_t>(next);
    }
  }
  return group;
}

std::vector<FilterCondition> conditions_of(const Model& model, const HeatOrder& order,
                                           const HeatGroup& group) {
  const DeviceTable::Row row = order.rows_of(group).front();
  switch (order.grouping) {
    case Grouping::host:
      return {{"host", group.name}};
    case Grouping::rack:
      return {{"rack", model.host_of(row).reported.registration.rack}};
    case Grouping::kind:
      return {{"kind", group.name}};
    case Grouping::state:
      return {{"state", group.name}};
    case Grouping::pool:
      break;
  }
  std::vector<FilterCondition> pools;
  for (const std::uint16_t pool : model.pool_numbers_of(row)) {
    pools.push_back({"pool", model.pools()[pool]});
  }
  if (pools.empty()) pools.push_back({"pool", ""});
  return pools;
}

}  // namespace drover::tui
