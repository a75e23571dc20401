// The power lever (policy/power_cap_steps.h): device caps are lowered near the cap of a pool or
// the site, and raised again. Samples show which caps are in force, so a restarted router
// continues where the last one stopped.
#include <algorithm>
#include <set>
#include <utility>

#include "router/decision/candidates.h"
#include "router/power/power_control.h"

namespace drover::router {
namespace {

// Devices named in one audit; the messages name them all.
constexpr std::size_t devices_named_max = 8;
/// A board's reading is within 5 % of its power (NVML).
constexpr double beyond_cap = 1.05;
/// A cap that samples do not show after this many heartbeats was not received.
constexpr int beats_until_shown = 3;

/// Whether nothing under it may be raised.
bool is_tight(const PowerLeverRules& rules, const CappedGroup& limit) {
  return limit.cap_w > 0 && (limit.work_waits || limit.drawn_w > rules.back * limit.cap_w);
}

}  // namespace

std::vector<double> PowerControl::required_watts() const {
  std::vector<double> required_w;
  const auto waiting = queue.waiting_by_reason();
  if (!waiting.contains(Reason::power_cap)) return required_w;
  for (const auto& [number, record] : jobs.open()) {
    const bool waits = record->state == JobState::queued && record->reason == Reason::power_cap;
    if (waits && record->required_power_w) required_w.push_back(*record->required_power_w);
  }
  return required_w;
}

CappedGroup PowerControl::limit_of(Instant now, std::optional<std::uint32_t> pool, double cap_w,
                                   const std::vector<double>& required_w) const {
  CappedGroup limit;
  limit.cap_w = cap_w;
  double idle_w = 0;
  const DeviceColumns& columns = fleet_state.devices();
  for (const GroupEntry& group : fleet_state.groups()) {
    if (group.gone || is_gone(fleet_state.hosts()[group.host].health)) continue;
    if (pool && !group.in_pool(*pool)) continue;
    const devices::DeviceSpec& spec = *group.spec;
    for (const DeviceIndex device : group.devices()) {
      const double now_w = cap_in_force(now, device);
      double drawn_w = columns.power_w[device] + columns.reserved_w[device];
      // No sample shows the sent cap yet.
      if (sent_caps.contains(device)) drawn_w = std::min(drawn_w, now_w);
      limit.drawn_w += drawn_w;
      idle_w += spec.power.idle_w;
      const bool reachable = fleet_state.hosts()[group.host].health == Health::ok && now_w > 0;
      if (!reachable) continue;
      const double most_w = highest_cap(device);
      double least_w = spec.takes_power_cap() ? std::min(spec.power.cap_min_w, most_w) : most_w;
      // Its lowest clock needs that much power for its work: a lower cap frees nothing.
      if (!sent_caps.contains(device) && drawn_w > beyond_cap * now_w) {
        least_w = std::clamp(drawn_w, least_w, most_w);
      }
      limit.devices.push_back(
          {device, most_w, least_w, now_w, drawn_w, columns.replicas[device] > 0});
    }
  }
  // Slowing other work down does not help a job that would not fit even if everything else were
  // idle.
  limit.work_waits =
      std::ranges::any_of(required_w, [&](double watts) { return idle_w + watts <= cap_w; });
  return limit;
}

void PowerControl::adjust_power_caps(Instant now) {
  const PowerLeverRules& rules = policy.limits.lever;
  if (now < next_lever_ || !rules.used) return;
  next_lever_ = saturating_add(now, rules.every);
  const std::vector<double> required_w = required_watts();
  std::vector<std::pair<std::string, CappedGroup>> limits;
  for (const auto& [name, cap_w] : policy.limits.pool_power_cap_w) {
    const auto pool = policy.pool_index(name);
    if (pool) limits.emplace_back("pool:" + name, limit_of(now, *pool, cap_w, required_w));
  }
  // Without a site cap: headroom for whatever no pool cap restricts.
  limits.emplace_back("site",
                      limit_of(now, std::nullopt, policy.limits.site_power_cap_w, required_w));
  // Down first; then up, only devices that no other limit holds down. A device moves once.
  std::set<DeviceIndex> held;
  for (const bool down : {true, false}) {
    for (auto& [subject, limit] : limits) {
      std::erase_if(limit.devices,
                    [&](const CappedDevice& device) { return held.contains(device.device); });
      if (is_tight(rules, limit) == down) {
        const std::vector<CapStep> steps = choose_cap_steps(rules, limit);
        for (const CapStep& step : steps) held.insert(step.device);
        cap_devices(now, subject, steps, down);
      }
      if (!is_tight(rules, limit)) continue;
      for (const CappedDevice& device : limit.devices) held.insert(device.device);
    }
  }
}

void PowerControl::cap_devices(Instant now, const std::string& subject,
                               const std::vector<CapStep>& steps, bool down) {
  if (steps.empty()) return;
  std::map<std::pair<HostIndex, double>, std::vector<std::uint16_t>> devices_by_cap;
  for (const CapStep& step : steps) {
    const DeviceColumns& columns = fleet_state.devices();
    devices_by_cap[{columns.host[step.device], step.cap_w}].push_back(columns.number[step.device]);
    const Duration shown_after = beats_until_shown * settings.heartbeat_every +
                                 fleet_state.hosts()[columns.host[step.device]].sample_lag;
    sent_caps[step.device] = {step.cap_w, saturating_add(now, shown_after)};
  }
  std::string words;
  std::size_t named = 0;
  for (auto& [place, numbers] : devices_by_cap) {
    std::ranges::sort(numbers);
    if (++named > devices_named_max) continue;
    words += fmt::format("{}{} to {:.0f} W", words.empty() ? "" : ", ",
                         target_text(fleet_state.host_name(place.first), numbers), place.second);
  }
  if (named > devices_named_max) words += fmt::format(" and {} more", named - devices_named_max);
  const std::uint64_t write = publisher.record_audit(
      now, Audit{"router", down ? "lower power caps" : "raise power caps", subject, true, words});
  for (const auto& [place, numbers] : devices_by_cap) {
    const auto peer = connections.peer_of(fleet_state.host_name(place.first));
    if (!peer) continue;
    outbox.send_in_order(now, {Channel::control, *peer}, CapDevices{numbers, place.second}, write);
  }
}

}  // namespace drover::router
