// Each device has a number for what it is grouped by (host, pool set, spec, state), each number has
// a group, and rows are assigned to their groups in the order of the fleet.
#include "tui/map/heat_order.h"

#include <algorithm>

namespace drover::tui {
namespace {

/// The groups, and the group of each number.
struct Numbers {
  std::vector<HeatGroup> groups;
  std::vector<std::uint32_t> group_of;

  void add(std::string_view name, std::uint32_t number) {
    group_of[number] = static_cast<std::uint32_t>(groups.size());
    groups.push_back({std::string(name), 0, 0, number});
  }
};

Numbers by_host(const Model& model, bool whole_racks) {
  Numbers numbers;
  numbers.group_of.resize(model.hosts().size());
  const std::string* rack = nullptr;
  for (const std::uint32_t host : model.host_order()) {
    const Register& registration = model.hosts()[host].reported.registration;
    if (!whole_racks) {
      numbers.add(registration.host, host);
    } else if (rack == nullptr || *rack != registration.rack) {
      numbers.add(registration.rack.empty() ? std::string_view("no rack") : registration.rack,
                  host);
    } else {
      numbers.group_of[host] = static_cast<std::uint32_t>(numbers.groups.size() - 1);
    }
    rack = &registration.rack;
  }
  return numbers;
}

/// A device of several pools is in one group, that of its pool set.
Numbers by_pools(const Model& model) {
  std::vector<std::pair<std::string, std::uint32_t>> sets;
  for (std::uint32_t set = 1; set < model.pool_sets(); ++set) {
    sets.emplace_back(model.pool_set_text(set), set);
  }
  std::sort(sets.begin(), sets.end());
  Numbers numbers;
  numbers.group_of.resize(model.pool_sets());
  for (const auto& [name, set] : sets) numbers.add(name, set);
  numbers.add("no pool", 0);
  return numbers;
}

Numbers by_kind(const Model& model) {
  const std::vector<SpecRow>& specs = model.specs();
  std::vector<std::uint32_t> order(specs.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(specs[a].device_class, std::string_view(specs[a].kind())) <
           std::pair(specs[b].device_class, std::string_view(specs[b].kind()));
  });
  Numbers numbers;
  numbers.group_of.resize(specs.size());
  for (const std::uint32_t spec : order) {
    // Hosts may report different specs of one kind.
    if (numbers.groups.empty() || numbers.groups.back().name != specs[spec].kind()) {
      numbers.add(specs[spec].kind(), spec);
    } else {
      numbers.group_of[spec] = static_cast<std::uint32_t>(numbers.groups.size() - 1);
    }
  }
  return numbers;
}

Numbers by_state() {
  Numbers numbers;
  numbers.group_of.resize(device_state_count);
  for (std::uint32_t i = device_state_count; i-- > 0;) {
    numbers.add(to_text(static_cast<DeviceState>(i)), i);
  }
  return numbers;
}

Numbers numbers_of(const Model& model, Grouping grouping) {
  switch (grouping) {
    case Grouping::host:
    case Grouping::rack:
      return by_host(model, grouping == Grouping::rack);
    case Grouping::pool:
      return by_pools(model);
    case Grouping::kind:
      return by_kind(model);
    case Grouping::state:
      return by_state();
  }
  return {};
}

std::uint32_t number_of(const Model& model, Instant now, Grouping grouping, DeviceTable::Row row) {
  switch (grouping) {
    case Grouping::host:
    case Grouping::rack:
      return model.devices().host(row);
    case Grouping::pool:
      return model.devices().pools(row);
    case Grouping::kind:
      return model.devices().spec(row);
    case Grouping::state:
      return static_cast<std::uint32_t>(most_severe_state(standing_of(model, now, row)));
  }
  return 0;
}

}  // namespace

HeatOrder order_devices(const Model& model, Instant now, Grouping grouping,
                        const FleetFilter& fleet_filter) {
  HeatOrder order;
  order.grouping = grouping;
  Numbers numbers = numbers_of(model, grouping);
  std::vector<DeviceTable::Row> shown;
  std::vector<std::uint32_t> groups;  // of `shown`
  shown.reserve(model.device_order().size());
  groups.reserve(model.device_order().size());
  for (const DeviceTable::Row row : model.device_order()) {
    if (!fleet_filter.shows(row)) continue;
    shown.push_back(row);
    groups.push_back(numbers.group_of[number_of(model, now, grouping, row)]);
    ++numbers.groups[groups.back()].count;
  }
  std::vector<std::uint32_t> next;  // index of each group's next row
  std::uint32_t first = 0;
  for (HeatGroup& group : numbers.groups) {
    group.first = first;
    next.push_back(first);
    first += group.count;
  }
  order.rows.resize(shown.size());
  order.places.assign(model.devices().rows(), HeatOrder::nowhere);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::uint32_t place = next[groups[i]]++;
    order.rows[place] = shown[i];
    order.places[shown[i]] = place;
  }
  const bool keeps_empty = grouping == Grouping::host && !fleet_filter.active();
  if (!keeps_empty) {
    std::erase_if(numbers.groups, [](const HeatGroup& group) { return group.count == 0; });
  }
  order.groups = std::move(numbers.groups);
  return order;
}

}  // namespace drover::tui
