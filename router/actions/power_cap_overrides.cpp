#include "router/actions/power_cap_overrides.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/target.h"

namespace drover::router {

Status check_cap(const SetPowerCap& cap, const Policy& policy) {
  const auto target = parse_target(cap.target);
  if (!target) return target.error();
  if (target->kind != TargetKind::site && target->kind != TargetKind::pool) {
    return error("{} has no power cap, expected site or pool:NAME", to_text(*target));
  }
  if (target->kind == TargetKind::pool && policy.find_pool(target->name) == nullptr) {
    return error("no pool \"{}\"{}", printable(target->name),
                 suggestion(target->name, policy.pool_names()));
  }
  if (!std::isfinite(cap.watts) || cap.watts < 0 || cap.watts > power_cap_max_w) {
    return error("found a cap of {} W, expected 0 (the policy's cap) to {} W", cap.watts,
                 power_cap_max_w);
  }
  if (cap.duration < Duration{0} || cap.duration > action_duration_max) {
    return error("found a duration of {} s, expected 0 (no end) to a week",
                 to_seconds(cap.duration));
  }
  return {};
}

std::string action_text(const SetPowerCap& cap) {
  if (cap.watts <= 0) return "remove the cap";
  const std::string span =
      cap.duration > Duration{0} ? " for " + duration_text(to_seconds(cap.duration)) : "";
  return fmt::format("cap {}{}{}", watts_text(cap.watts), span,
                     cap.admission_only ? ", for new work only" : "");
}

void PowerCapOverrides::set(Instant now, const SetPowerCap& cap) {
  if (cap.watts <= 0) {
    caps_.erase(cap.target);
    return;
  }
  caps_[cap.target] = {cap.watts,
                       cap.duration > Duration{0} ? saturating_add(now, cap.duration) : never,
                       cap.admission_only};
}

std::vector<std::string> PowerCapOverrides::end(Instant now) {
  std::vector<std::string> ended;
  for (auto cap = caps_.begin(); cap != caps_.end();) {
    if (cap->second.until > now) {
      ++cap;
      continue;
    }
    ended.push_back(cap->first);
    cap = caps_.erase(cap);
  }
  return ended;
}

Instant PowerCapOverrides::next_end() const {
  Instant next = never;
  for (const auto& [target, cap] : caps_) next = std::min(next, cap.until);
  return next;
}

Limits PowerCapOverrides::in_force() const {
  Limits limits = own_;
  for (const auto& [target, cap] : caps_) {
    const auto parsed = parse_target(target);
    if (!parsed) continue;
    if (parsed->kind == TargetKind::site) {
      limits.site_power_cap_w = cap.watts;
      limits.site_admission_only = cap.admission_only;
      continue;
    }
    limits.pool_power_cap_w[parsed->name] = cap.watts;
    limits.pools_admission_only.erase(parsed->name);
    if (cap.admission_only) limits.pools_admission_only.insert(parsed->name);
  }
  return limits;
}

}  // namespace drover::router
