// Power caps that are met (power_hold.h): devices' own caps go down at once where more is drawn
// than a cap allows, and up again where there is room or the cap is over.
//
// Nothing of it is kept: samples say which caps are in force, so a router that begins anew, a host
// in a new life and one that joins late are brought under the cap at the next look.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/action_words.h"
#include "router/actions/power_hold.h"
#include "router/actions/unmet_caps.h"
#include "router/policy/alert_rules.h"
#include "router/state.h"

namespace drover::router {
namespace {

// What a lowered cap takes to be seen: a board shows a mean over a second and its host sends one
// each second, all of that twice; and four beats for messages, the disk and looks.
constexpr Duration shown_within = std::chrono::seconds(6);
constexpr int beats_under_way = 4;

/// Between two looks at whether caps may go up: what the last one gave is drawn by then.
constexpr Duration give_back_every = std::chrono::seconds(10);
constexpr int beats_of_give_back = 3;
/// Of what a device is made for; less is not worth a message.
constexpr double least_raise = 0.02;

double sampled_w(const Roster& roster, const std::optional<std::uint32_t>& pool) {
  return pool ? roster.power_w(*pool) : roster.power_w();
}

bool is_reachable(const Roster& roster, const GroupEntry& group) {
  return !group.gone && roster.hosts()[group.host].health == Health::ok;
}

/// How much later than they are true the samples come that show what a cap does.
Duration sample_lag(const Roster& roster, const std::optional<std::uint32_t>& pool) {
  Duration lag{0};
  for (const GroupEntry& group : roster.groups()) {
    if (!is_reachable(roster, group) || (pool && !group.in_pool(*pool))) continue;
    lag = std::max(lag, roster.hosts()[group.host].sample_lag);
  }
  return lag;
}

/// The devices' new caps, where that is worth a message.
std::vector<CapStep> raises(const Roster& roster, const LeverLimit& limit,
                            const std::map<DeviceIndex, double>& allowed_w) {
  std::vector<CapStep> steps;
  for (const LeverDevice& device : limit.devices) {
    const auto allowed = allowed_w.find(device.device);
    if (allowed == allowed_w.end()) continue;
    const double more_w = allowed->second - device.cap_w;
    const bool whole = allowed->second >= device.made_for_w && more_w >= least_step_w;
    if (!whole && more_w < least_raise * device.made_for_w) continue;
    if (roster.devices().power_cap_w[device.device] <= 0) continue;
    steps.push_back({device.device, allowed->second});
  }
  return steps;
}

}  // namespace

std::vector<Core::CapLimit> Core::cap_limits() const {
  std::vector<CapLimit> limits;
  for (const auto& [name, cap_w] : policy.limits.pool_power_cap_w) {
    const auto pool = policy.pool_index(name);
    if (!pool || cap_w <= 0) continue;
    limits.push_back(
        {"pool:" + name, *pool, cap_w, policy.limits.pools_admission_only.contains(name)});
  }
  if (policy.limits.site_power_cap_w > 0) {
    limits.push_back(
        {"site", std::nullopt, policy.limits.site_power_cap_w, policy.limits.site_admission_only});
  }
  return limits;
}

std::optional<Core::CapLimit> Core::cap_limit(const std::string& subject) const {
  for (CapLimit& limit : cap_limits()) {
    if (limit.subject == subject) return std::move(limit);
  }
  return std::nullopt;
}

double Core::cap_in_force(Instant now, DeviceIndex device) const {
  const auto told = told_caps.find(device);
  if (told != told_caps.end() && now < told->second.until) return told->second.watts;
  return roster.devices().power_cap_w[device];
}

Duration Core::caps_met_within(const std::optional<std::uint32_t>& pool) const {
  return shown_within + beats_under_way * settings.heartbeat_every + sample_lag(roster, pool);
}

void Core::hold_caps(Instant now) {
  std::erase_if(told_caps, [&](const auto& told) { return told.second.until <= now; });
  const std::vector<CapLimit> limits = cap_limits();
  std::map<std::string, Instant> over;
  for (const CapLimit& limit : limits) {
    if (limit.admission_only) continue;
    if (sampled_w(roster, limit.pool) > limit.cap_w) {
      const auto known = over_cap_since.find(limit.subject);
      over[limit.subject] = known == over_cap_since.end() ? now : known->second;
    }
    const LeverLimit drawn = limit_of(now, limit.pool, limit.cap_w, {});
    cap_devices(now, limit.subject, lower_to_cap(drawn), true);
  }
  over_cap_since = std::move(over);
  // With the lever it is the lever that raises them.
  if (!policy.limits.lever.used) {
    restore_caps(now, limits);
    give_back_caps(now, limits);
  }
}

/// Devices that no cap is about any more: as they are made.
void Core::restore_caps(Instant now, const std::vector<CapLimit>& limits) {
  const DeviceColumns& columns = roster.devices();
  std::vector<CapStep> steps;
  for (const GroupEntry& group : roster.groups()) {
    if (!is_reachable(roster, group) || !group.spec->takes_power_cap()) continue;
    const bool held = std::any_of(limits.begin(), limits.end(), [&](const CapLimit& limit) {
      return !limit.admission_only && (!limit.pool || group.in_pool(*limit.pool));
    });
    if (held) continue;
    const double made_for_w = group.spec->tdp_w;
    for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
      if (columns.power_cap_w[device] <= 0) continue;  // no sample yet
      if (made_for_w - cap_in_force(now, device) < least_step_w) continue;
      steps.push_back({device, made_for_w});
    }
  }
  cap_devices(now, "site", steps, false);
}

void Core::give_back_caps(Instant now, const std::vector<CapLimit>& limits) {
  if (now < next_give_back) return;
  next_give_back =
      saturating_add(now, std::max(give_back_every, beats_of_give_back * settings.heartbeat_every));
  // A device goes as far up as all of its caps allow; one that only holds back new work is none
  // that others may break.
  std::map<DeviceIndex, double> allowed_w;
  std::vector<std::pair<const CapLimit*, LeverLimit>> held;
  for (const CapLimit& limit : limits) {
    LeverLimit drawn = limit_of(now, limit.pool, limit.cap_w, {});
    const double share = share_with_room(drawn, hold_back * limit.cap_w - drawn.drawn_w);
    for (const LeverDevice& device : drawn.devices) {
      const double to_w = std::min(device.made_for_w, std::floor(share * device.made_for_w));
      const auto [at, first] = allowed_w.emplace(device.device, to_w);
      if (!first) at->second = std::min(at->second, to_w);
    }
    if (!limit.admission_only) held.emplace_back(&limit, std::move(drawn));
  }
  for (const auto& [limit, drawn] : held) {
    const std::vector<CapStep> steps = raises(roster, drawn, allowed_w);
    for (const CapStep& step : steps) allowed_w.erase(step.device);  // told once
    cap_devices(now, limit->subject, steps, false);
  }
}

void Core::see_unmet_caps(Instant now, std::vector<Sighting>& seen) const {
  for (const CapLimit& limit : cap_limits()) {
    const auto since = over_cap_since.find(limit.subject);
    if (since == over_cap_since.end()) continue;
    const LeverLimit drawn = limit_of(now, limit.pool, limit.cap_w, {});
    const bool out_of_reach = reach_of(drawn).least_w > limit.cap_w;
    if (!out_of_reach && now - since->second < caps_met_within(limit.pool)) continue;
    const auto told_w = [&](DeviceIndex device) -> std::optional<double> {
      const auto told = told_caps.find(device);
      if (told == told_caps.end()) return std::nullopt;
      return told->second.watts;
    };
    const std::string why = out_of_reach
                                ? floor_words(roster, limit.pool, drawn, lower_to_cap(drawn))
                                : disobeyed_words(roster, drawn, told_w);
    seen.push_back({std::string(condition::power_cap_unmet), limit.subject,
                    fmt::format("draws {} of {}: {}", watts_text(sampled_w(roster, limit.pool)),
                                watts_text(limit.cap_w), why)});
  }
}

std::string Core::cap_doubt(const SetPowerCap& cap,
                            const std::optional<std::uint32_t>& pool) const {
  if (cap.watts <= 0 || cap.confirmed) return "";
  const IdleDraw idle = idle_draw(roster, pool);
  if (cap.watts >= idle.watts) return "";
  return fmt::format("{} is below what {} of {} {} idle, {}: no work would start there",
                     watts_text(cap.watts), counted(idle.devices, "device", "devices"),
                     place_words(*parse_target(cap.target)), idle.devices == 1 ? "draws" : "draw",
                     watts_text(idle.watts));
}

std::string Core::uncapped_words(const std::string& subject, bool was_set) const {
  std::string words = was_set ? "cap removed" : "no cap was set";
  if (const auto own = cap_limit(subject)) {
    return fmt::format("{}, the policy's limit of {} applies", words, watts_text(own->cap_w));
  }
  words += ", no limit";
  std::string others;
  for (const CapLimit& limit : cap_limits()) {
    // A pool has the site's limit as well, and of the site parts may have one.
    if (subject != "site" && limit.subject != "site") continue;
    others += fmt::format("{}{} applies to {}", others.empty() ? "" : ", ", watts_text(limit.cap_w),
                          place_words(*parse_target(limit.subject)));
  }
  words += others.empty() ? " applies" : " of its own applies, but " + others;
  if (was_set && policy.limits.lever.used) words += "; devices go up a step at a time";
  return words;
}

std::string Core::cap_outlook(Instant now, const SetPowerCap& cap, bool was_set) const {
  const std::string place = place_words(*parse_target(cap.target));
  const auto limit = cap_limit(cap.target);
  if (cap.watts <= 0) return fmt::format("{}: {}", place, uncapped_words(cap.target, was_set));
  const std::string cap_text = watts_text(cap.watts);
  const std::string now_text = watts_text(sampled_w(roster, limit->pool));
  const std::string span =
      cap.lasts > Duration{0} ? "; for " + span_words(cap.lasts, settings.speed) : "";
  if (cap.admission_only) {
    return fmt::format("{}: new work waits above {}, {} now; what runs goes on as it is{}", place,
                       cap_text, now_text, span);
  }
  const LeverLimit drawn = limit_of(now, limit->pool, limit->cap_w, {});
  const std::vector<CapStep> steps = lower_to_cap(drawn);
  const CapReach reach = reach_of(drawn, steps);
  const std::string within = span_words(caps_met_within(limit->pool), settings.speed);
  if (reach.least_w > cap.watts) {
    return fmt::format("{}: {} now, {} within {} and not {}: {}{}", place, now_text,
                       watts_text(reach.least_w), within, cap_text,
                       floor_words(roster, limit->pool, drawn, steps), span);
  }
  if (steps.empty()) {
    return fmt::format("{}: capped at {}, {} now: nothing slows down{}", place, cap_text, now_text,
                       span);
  }
  std::string slowed = counted(steps.size(), "device slows", "devices slow") + " down";
  if (reach.at_floor > 0) {
    slowed +=
        fmt::format(", {} at {} floor", reach.at_floor, reach.at_floor == 1 ? "its" : "their");
  }
  return fmt::format("{}: {} now, {} within {}; {}{}", place, now_text, cap_text, within, slowed,
                     span);
}

}  // namespace drover::router
