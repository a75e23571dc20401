#include "router/actions/drain_table.h"

#include <algorithm>

#include "fleet/base/units.h"
#include "router/actions/injection.h"
#include "router/actions/power_caps.h"

namespace drover::router {

DeviceLocation location_of(const FleetState& fleet_state, const Policy& policy, HostIndex host,
                           std::uint16_t number) {
  const HostEntry& entry = fleet_state.hosts()[host];
  DeviceLocation location{entry.registration.host, entry.registration.rack, number, {}};
  const DeviceIndex device = entry.devices[number];
  for (const std::uint32_t pool : fleet_state.group_of_device(device).pools) {
    if (pool < policy.pools.size()) location.pools.push_back(policy.pools[pool].name);
  }
  return location;
}

bool covers(const Target& target, const DeviceLocation& device) {
  switch (target.kind) {
    case TargetKind::device:
      return device.host == target.name && device.number == target.device;
    case TargetKind::host:
      return device.host == target.name;
    case TargetKind::rack:
      return device.rack == target.name;
    case TargetKind::pool:
      return contains(device.pools, target.name);
    case TargetKind::site:
      return true;
  }
  return false;
}

std::vector<std::uint16_t> covered_devices(const Target& target, const FleetState& fleet_state,
                                           const Policy& policy, HostIndex host) {
  std::vector<std::uint16_t> covered;
  for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
    const std::uint16_t number = fleet_state.devices().number[device];
    if (covers(target, location_of(fleet_state, policy, host, number))) covered.push_back(number);
  }
  return covered;
}

void DrainTable::apply(Instant now, const SetDrain& order) {
  const auto target = parse_target(order.target);
  DROVER_REQUIRE(target.ok());
  // An order about the site supersedes all earlier ones.
  if (target->kind == TargetKind::site) orders_.clear();
  std::erase_if(orders_, [&](const Order& earlier) { return earlier.target == *target; });
  const Instant deadline =
      order.deadline > Duration{0} ? saturating_add(now, order.deadline) : never;
  orders_.push_back({*target, order.drained, deadline});
  // A leading resume has no effect.
  const auto first = std::ranges::find_if(orders_, [](const Order& each) { return each.drained; });
  orders_.erase(orders_.begin(), first);
}

const DrainTable::Order* DrainTable::order_for(const DeviceLocation& device) const {
  for (auto order = orders_.rbegin(); order != orders_.rend(); ++order) {
    if (covers(order->target, device)) return order->drained ? &*order : nullptr;
  }
  return nullptr;
}

bool DrainTable::is_drained_target(const Target& target) const {
  return std::ranges::any_of(
      orders_, [&](const Order& order) { return order.drained && order.target == target; });
}

std::vector<Target> DrainTable::take_expired(Instant now) {
  std::vector<Target> passed;
  for (const Order& order : orders_) {
    if (order.deadline > passed_ && order.deadline <= now) passed.push_back(order.target);
  }
  passed_ = std::max(passed_, now);
  return passed;
}

Instant DrainTable::next_deadline() const {
  Instant next = never;
  for (const Order& order : orders_) {
    if (order.deadline > passed_) next = std::min(next, order.deadline);
  }
  return next;
}

Result<Target> check_drain(const SetDrain& order, const FleetState& fleet_state,
                           const Policy& policy, const DrainTable& drains) {
  DROVER_ASSIGN(const auto target, parse_target(order.target));
  if (order.deadline < Duration{0} || order.deadline > action_duration_max) {
    return error("found a deadline of {} s, expected 0 (none) to a week",
                 to_seconds(order.deadline));
  }
  if (!order.drained && order.deadline > Duration{0}) {
    return error("resume takes no deadline");
  }
  // After a restart, a target that is not known yet can still be resumed.
  if (drains.is_drained_target(target)) return target;
  DROVER_TRY(check_known(target, fleet_state, policy));
  if (target.kind == TargetKind::device) {
    const std::size_t count =
        fleet_state.hosts()[*fleet_state.find_host(target.name)].devices.size();
    if (target.device >= count) {
      return error("no device {}: {} has devices 0 to {}", to_text(target), target.name, count - 1);
    }
  }
  return target;
}

std::string action_text(const SetDrain& order) {
  if (!order.drained) return "resume";
  if (order.deadline <= Duration{0}) return "drain";
  return fmt::format("drain, {} for running work", duration_text(to_seconds(order.deadline)));
}

}  // namespace drover::router
