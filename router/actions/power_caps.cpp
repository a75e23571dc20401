#include "router/actions/power_caps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/target.h"

namespace drover::router {
namespace {

/// Halvings of the interval of shares: to a millionth of a device's power.
constexpr int halvings = 20;

bool takes_cap(const CappedDevice& device) { return device.cap_min_w < device.rated_w; }

/// In whole watts, so that devices of a kind share one message.
double level_of(const CappedDevice& device, double share) {
  return std::max(device.cap_min_w, std::floor(share * device.rated_w));
}

/// The largest share at which `drawn(share)`, which grows with it, is at most `most_w`.
template <typename Drawn>
double largest_share(Drawn drawn, double most_w) {
  if (drawn(1.0) <= most_w) return 1;
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < halvings; ++halving) {
    const double middle = (low + high) / 2;
    (drawn(middle) <= most_w ? low : high) = middle;
  }
  return low;
}

/// What keeps a device's power from going lower. The first reason that applies counts.
enum Floor : std::size_t {
  capless_gpu,
  capless_tpu,
  at_floor,
  below_floor,
  silent_host,
  unsampled,
  floors,
};

struct Words {
  std::string_view one, many;
};
constexpr std::array<Words, floors> floor_reasons = {{
    {"GPU accepts no cap", "GPUs accept no cap"},
    {"TPU accepts no cap", "TPUs accept no cap"},
    {"device at its floor", "devices at their floor"},
    {"device draws less than the smallest cap it accepts",
     "devices draw less than the smallest cap they accept"},
    {"device of a silent host", "devices of silent hosts"},
    {"device has sent no sample", "devices have sent no sample"},
}};
constexpr std::array<Floor, floors> text_order = {at_floor,    below_floor, capless_gpu,
                                                  capless_tpu, silent_host, unsampled};

/// Visits the devices under a cap.
template <typename Visit>
void each_group(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                Visit visit) {
  for (const GroupEntry& group : fleet_state.groups()) {
    if (group.gone || is_gone(fleet_state.hosts()[group.host].health)) continue;
    if (!pool || group.in_pool(*pool)) visit(group);
  }
}

/// The floor of a device whose cap is, or will be, `cap_w`.
Floor floor_of(const devices::DeviceSpec& spec, const CappedDevice& device, double cap_w) {
  if (!spec.takes_power_cap()) {
    return spec.device_class == DeviceClass::tpu ? capless_tpu : capless_gpu;
  }
  return cap_w - device.cap_min_w < least_step_w ? at_floor : below_floor;
}

}  // namespace

Status check_cap(const SetPowerCap& cap, const Policy& policy) {
  DROVER_ASSIGN(const auto target, parse_target(cap.target));
  if (target.kind != TargetKind::site && target.kind != TargetKind::pool) {
    return error("{} has no power cap, expected site or pool:NAME", to_text(target));
  }
  if (target.kind == TargetKind::pool && policy.find_pool(target.name) == nullptr) {
    return error("no pool \"{}\"{}", printable(target.name),
                 suggestion(target.name, names_of(policy.pools, &Pool::name)));
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
  std::erase_if(caps_, [&](const auto& cap) {
    const bool over = cap.second.until <= now;
    if (over) ended.push_back(cap.first);
    return over;
  });
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

std::vector<CapStep> lower_to_cap(const CappedGroup& limit) {
  if (limit.cap_w <= 0 || limit.drawn_w <= limit.cap_w) return {};
  const auto drawn_at = [&](double share) {
    double drawn_w = limit.drawn_w;
    for (const CappedDevice& device : limit.devices) {
      if (!takes_cap(device)) continue;
      drawn_w -= std::max(0.0, device.drawn_w - level_of(device, share));
    }
    return drawn_w;
  };
  const double share = largest_share(drawn_at, cap_target_share * limit.cap_w);
  std::vector<CapStep> steps;
  for (const CappedDevice& device : limit.devices) {
    const double to_w = level_of(device, share);
    // A cap above its power frees nothing.
    if (!takes_cap(device) || device.drawn_w <= to_w) continue;
    if (device.cap_w - to_w >= least_step_w) steps.push_back({device.device, to_w});
  }
  return steps;
}

double share_with_headroom(const CappedGroup& limit, double headroom_w) {
  if (headroom_w <= 0) return 0;
  const auto more_at = [&](double share) {
    double more_w = 0;
    for (const CappedDevice& device : limit.devices) {
      if (!takes_cap(device)) continue;
      more_w += std::max(0.0, std::floor(share * device.rated_w) - device.cap_w);
    }
    return more_w;
  };
  return largest_share(more_at, headroom_w);
}

CapReach reach_of(const CappedGroup& limit, const std::vector<CapStep>& steps) {
  std::map<std::uint32_t, double> taken;
  for (const CapStep& step : steps) taken[step.device] = step.cap_w;
  CapReach reach;
  reach.least_w = limit.drawn_w;
  for (const CappedDevice& device : limit.devices) {
    if (!takes_cap(device)) continue;
    reach.least_w -= std::max(0.0, device.drawn_w - device.cap_min_w);
    const double* step_w = find_in(taken, device.device);
    const double cap_w = step_w == nullptr ? device.cap_w : *step_w;
    if (cap_w - device.cap_min_w < least_step_w) ++reach.at_floor;
  }
  return reach;
}

IdleDraw idle_draw(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool) {
  IdleDraw idle;
  each_group(fleet_state, pool, [&](const GroupEntry& group) {
    idle.devices += group.group.count;
    idle.watts += group.spec->power.idle_w * group.group.count;
  });
  return idle;
}

std::string cap_floor_text(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                           const CappedGroup& limit, const std::vector<CapStep>& steps) {
  std::map<DeviceIndex, double> stepped;
  for (const CapStep& step : steps) stepped[step.device] = step.cap_w;
  std::array<std::size_t, floors> counts{};
  std::map<GroupIndex, std::size_t> reached;
  for (const CappedDevice& device : limit.devices) {
    const GroupIndex group = fleet_state.devices().group[device.device];
    ++reached[group];
    const double* step_w = find_in(stepped, device.device);
    const double cap_w = step_w == nullptr ? device.cap_w : *step_w;
    ++counts[floor_of(*fleet_state.groups()[group].spec, device, cap_w)];
  }
  each_group(fleet_state, pool, [&](const GroupEntry& group) {
    const auto index = fleet_state.devices().group[group.first];
    const std::size_t others = group.group.count - reached[index];
    const bool heard = fleet_state.hosts()[group.host].health == Health::ok;
    counts[heard ? unsampled : silent_host] += others;
  });
  std::string words;
  const IdleDraw idle = idle_draw(fleet_state, pool);
  if (idle.watts > limit.cap_w) {
    add_part(words, ", ",
             fmt::format("{} {} {} idle", counted(idle.devices, "device"),
                         idle.devices == 1 ? "draws" : "draw", watts_text(idle.watts)));
  }
  for (const Floor floor : text_order) {
    const auto& [one, many] = floor_reasons[floor];
    if (counts[floor] > 0) add_part(words, ", ", counted(counts[floor], one, many));
  }
  return words;
}

std::string cap_ignored_text(const FleetState& fleet_state, const CappedGroup& limit,
                             const SentCaps& sent_caps) {
  std::size_t unapplied = 0;
  std::size_t beyond = 0;
  for (const CappedDevice& device : limit.devices) {
    const double cap_w = fleet_state.devices().power_cap_w[device.device];
    const SentCap* sent = find_in(sent_caps, device.device);
    if (sent != nullptr && cap_w - sent->watts >= least_step_w) {
      ++unapplied;
    } else if (fleet_state.devices().power_w[device.device] > cap_w) {
      ++beyond;
    }
  }
  std::string words;
  if (unapplied > 0) {
    add_part(words, ", ",
             counted(unapplied, "device has not applied the cap it was sent",
                     "devices have not applied the caps they were sent"));
  }
  if (beyond > 0) {
    add_part(
        words, ", ",
        counted(beyond, "device draws more than its cap", "devices draw more than their caps"));
  }
  return words.empty() ? "new work started faster than device caps were lowered" : words;
}

}  // namespace drover::router
