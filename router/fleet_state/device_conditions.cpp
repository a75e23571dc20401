#include "router/fleet_state/device_conditions.h"

#include <algorithm>

#include "fleet/base/search.h"

namespace drover::router {

void replace(std::vector<ReportedCondition::InForce>& faults,
             const ReportedCondition::InForce& fault) {
  std::erase_if(faults, [&](const ReportedCondition::InForce& known) {
    return known.of_host == fault.of_host && known.kind == fault.kind;
  });
  faults.push_back(fault);
}

bool DeviceConditionTable::report(Instant now, DeviceKey device, bool usable, std::string detail) {
  if (ReportedCondition* known = find_in(conditions_, device)) known->doubted_until = {};
  const ReportedCondition& before = of(device);
  if (before.usable == usable && before.detail == detail) return false;
  ReportedCondition& condition = conditions_[device];
  if (condition.usable != usable || condition.since == Instant{}) condition.since = now;
  condition.usable = usable;
  condition.detail = std::move(detail);
  settle(device);
  return true;
}

void DeviceConditionTable::inject(Instant now, DeviceKey device, const Fault& fault, bool of_host) {
  ReportedCondition& condition = conditions_[device];
  if (condition.since == Instant{}) condition.since = now;
  const Instant until = saturating_add(now, total_duration(fault));
  replace(condition.faults, {now, until, of_host, fault.kind, to_text(fault)});
  ends_.emplace(until, device);
}

std::vector<DeviceKey> DeviceConditionTable::replace_reported_faults(Instant now, HostIndex host,
                                                                     FaultsByDevice reported,
                                                                     Instant asked_at) {
  for (auto at = conditions_.lower_bound({host, 0});
       at != conditions_.end() && at->first.first == host; ++at) {
    std::vector<ReportedCondition::InForce>& faults = reported[at->first.second];
    for (const ReportedCondition::InForce& known : at->second.faults) {
      if (asked_at != Instant{} && known.since >= asked_at) replace(faults, known);
    }
  }
  std::vector<DeviceKey> changed;
  for (auto& [number, faults] : reported) {
    const DeviceKey device{host, number};
    const auto same = [](const auto& a, const auto& b) { return a.words == b.words; };
    const std::vector<ReportedCondition::InForce>& known = of(device).faults;
    if (!std::equal(faults.begin(), faults.end(), known.begin(), known.end(), same)) {
      changed.push_back(device);
    } else if (faults.empty()) {
      continue;
    }
    ReportedCondition& condition = conditions_[device];
    if (condition.since == Instant{}) condition.since = now;
    for (const ReportedCondition::InForce& fault : known) ends_.erase({fault.until, device});
    condition.faults = std::move(faults);
    for (const ReportedCondition::InForce& fault : condition.faults)
      ends_.emplace(fault.until, device);
    if (condition.doubted_until != Instant{}) ends_.emplace(condition.doubted_until, device);
    settle(device);
  }
  return changed;
}

bool DeviceConditionTable::drain(Instant now, DeviceKey device, bool drained) {
  if (of(device).drained == drained) return false;
  ReportedCondition& condition = conditions_[device];
  if (condition.since == Instant{}) condition.since = now;
  condition.drained = drained;
  settle(device);
  return true;
}

void DeviceConditionTable::doubt(HostIndex host, Instant until) {
  for (auto at = conditions_.lower_bound({host, 0});
       at != conditions_.end() && at->first.first == host; ++at) {
    if (at->second.usable) continue;
    at->second.doubted_until = until;
    ends_.emplace(until, at->first);
  }
}

std::vector<DeviceKey> DeviceConditionTable::end(Instant now) {
  std::set<DeviceKey> changed;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const DeviceKey device = ends_.begin()->second;
    ends_.erase(ends_.begin());
    ReportedCondition* condition = find_in(conditions_, device);
    if (condition == nullptr) continue;
    const bool refuted = condition->doubted_until != Instant{} && condition->doubted_until <= now;
    if (refuted) {
      condition->usable = true;
      condition->since = now;
      condition->doubted_until = {};
      condition->detail.clear();
    }
    // A fault that was injected again ends later: nothing changes yet.
    const auto over = [&](const auto& fault) { return fault.until <= now; };
    if (std::erase_if(condition->faults, over) == 0 && !refuted) continue;
    changed.insert(device);
    settle(device);
  }
  return {changed.begin(), changed.end()};
}

std::vector<DeviceKey> DeviceConditionTable::forget(HostIndex host, bool in_force) {
  std::vector<DeviceKey> known;
  auto condition = conditions_.lower_bound({host, 0});
  while (condition != conditions_.end() && condition->first.first == host) {
    known.push_back(condition->first);
    ReportedCondition& before = condition->second;
    if (before.drained || (in_force && !before.faults.empty())) {
      ReportedCondition kept;
      kept.since = before.since;
      kept.drained = before.drained;
      if (in_force) kept.faults = std::move(before.faults);
      before = std::move(kept);
      ++condition;
    } else {
      condition = conditions_.erase(condition);
    }
  }
  if (!in_force) std::erase_if(ends_, [&](const auto& end) { return end.second.first == host; });
  return known;
}

const ReportedCondition& DeviceConditionTable::of(DeviceKey device) const {
  static const ReportedCondition fine;
  const ReportedCondition* known = find_in(conditions_, device);
  return known == nullptr ? fine : *known;
}

/// Removes the entry of a device without conditions.
void DeviceConditionTable::settle(DeviceKey device) {
  const auto found = conditions_.find(device);
  const ReportedCondition& condition = found->second;
  const bool normal = condition.usable && condition.detail.empty() && condition.faults.empty();
  if (normal && !condition.drained) conditions_.erase(found);
}

}  // namespace drover::router
