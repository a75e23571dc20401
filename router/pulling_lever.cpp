// Power caps of devices, lowered where the cap of a pool or of the site is near and raised again
// (power_lever.h). Which caps are in force samples say, so a router that begins anew goes on where
// the last one stopped.
#include <algorithm>
#include <utility>

#include "fleet/target.h"
#include "router/decision/decide_candidates.h"
#include "router/state.h"

namespace drover::router {
namespace {

// Devices in one audit's words; the messages name them all.
constexpr std::size_t devices_named_max = 8;
/// A board's reading is within 5 % of what it draws (NVML).
constexpr double beyond_cap = 1.05;
/// A cap that samples do not show after so many heartbeats was not heard.
constexpr int beats_until_shown = 3;

/// Nothing under it may be raised.
bool is_tight(const LeverRules& rules, const LeverLimit& limit) {
  return limit.cap_w > 0 && (limit.work_waits || limit.drawn_w > rules.back * limit.cap_w);
}

}  // namespace

std::vector<double> Core::wanted_watts() const {
  std::vector<double> wanted_w;
  const auto waiting = queue.waiting_by_reason();
  if (!waiting.contains(Reason::power_cap)) return wanted_w;
  for (const auto& [number, record] : jobs.open()) {
    const bool waits = record->state == JobState::queued && record->reason == Reason::power_cap;
    if (waits && record->wants_w) wanted_w.push_back(*record->wants_w);
  }
  return wanted_w;
}

LeverLimit Core::limit_of(Instant now, std::optional<std::uint32_t> pool, double cap_w,
                          const std::vector<double>& wanted_w) const {
  LeverLimit limit;
  limit.cap_w = cap_w;
  double idle_w = 0;
  const DeviceColumns& columns = roster.devices();
  for (const GroupEntry& group : roster.groups()) {
    if (group.gone || is_gone(roster.hosts()[group.host].health)) continue;
    if (pool && !group.in_pool(*pool)) continue;
    const devices::DeviceSpec& spec = *group.spec;
    for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
      const double now_w = cap_in_force(now, device);
      double drawn_w = columns.power_w[device] + columns.promised_w[device];
      // No sample shows yet what it was told.
      if (told_caps.contains(device)) drawn_w = std::min(drawn_w, now_w);
      limit.drawn_w += drawn_w;
      idle_w += spec.idle_w;
      const bool reachable = roster.hosts()[group.host].health == Health::ok && now_w > 0;
      if (!reachable) continue;
      double least_w = spec.takes_power_cap() ? spec.power_cap_min_w : spec.tdp_w;
      // Its slowest clock takes that much for what it does: a lower cap frees nothing.
      if (!told_caps.contains(device) && drawn_w > beyond_cap * now_w) {
        least_w = std::clamp(drawn_w, least_w, spec.tdp_w);
      }
      limit.devices.push_back(
          {device, spec.tdp_w, least_w, now_w, drawn_w, columns.replicas[device] > 0});
    }
  }
  // Work that would not fit though all else stood idle is not helped by slowing that down.
  limit.work_waits = std::any_of(wanted_w.begin(), wanted_w.end(),
                                 [&](double watts) { return idle_w + watts <= cap_w; });
  return limit;
}

void Core::pull_levers(Instant now) {
  const LeverRules& rules = policy.limits.lever;
  if (now < next_lever || !rules.used) return;
  next_lever = saturating_add(now, rules.every);
  const std::vector<double> wanted_w = wanted_watts();
  std::vector<std::pair<std::string, LeverLimit>> limits;
  for (const auto& [name, cap_w] : policy.limits.pool_power_cap_w) {
    const auto pool = policy.pool_index(name);
    if (pool) limits.emplace_back("pool:" + name, limit_of(now, *pool, cap_w, wanted_w));
  }
  // Without a cap of the site: room for whatever no pool's cap holds back.
  limits.emplace_back("site",
                      limit_of(now, std::nullopt, policy.limits.site_power_cap_w, wanted_w));
  // Down first; then up only what no other limit holds down. A device moves once.
  std::set<DeviceIndex> held;
  for (const bool down : {true, false}) {
    for (auto& [subject, limit] : limits) {
      std::erase_if(limit.devices,
                    [&](const LeverDevice& device) { return held.contains(device.device); });
      if (is_tight(rules, limit) == down) {
        const std::vector<CapStep> steps = pull_lever(rules, limit);
        for (const CapStep& step : steps) held.insert(step.device);
        cap_devices(now, subject, steps, down);
      }
      if (!is_tight(rules, limit)) continue;
      for (const LeverDevice& device : limit.devices) held.insert(device.device);
    }
  }
}

void Core::cap_devices(Instant now, const std::string& subject, const std::vector<CapStep>& steps,
                       bool down) {
  if (steps.empty()) return;
  std::map<std::pair<HostIndex, double>, std::vector<std::uint16_t>> told;
  for (const CapStep& step : steps) {
    const DeviceColumns& columns = roster.devices();
    told[{columns.host[step.device], step.cap_w}].push_back(columns.number[step.device]);
    const Duration shown_after = beats_until_shown * settings.heartbeat_every +
                                 roster.hosts()[columns.host[step.device]].sample_lag;
    told_caps[step.device] = {step.cap_w, saturating_add(now, shown_after)};
  }
  std::string words;
  std::size_t named = 0;
  for (auto& [place, numbers] : told) {
    std::sort(numbers.begin(), numbers.end());
    if (++named > devices_named_max) continue;
    words +=
        fmt::format("{}{} to {:.0f} W", words.empty() ? "" : ", ",
                    target_text(roster.hosts()[place.first].hello.host, numbers), place.second);
  }
  if (named > devices_named_max) words += fmt::format(" and {} more", named - devices_named_max);
  const std::uint64_t write = put_on_record(
      now, Audit{"router", down ? "lower power caps" : "raise power caps", subject, true, words});
  for (const auto& [place, numbers] : told) {
    const auto peer = peers.peer_of(roster.hosts()[place.first].hello.host);
    if (!peer) continue;
    mail.send_in_order(now, {Channel::control, *peer}, CapDevices{numbers, place.second}, write);
  }
}

}  // namespace drover::router
