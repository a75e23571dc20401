#include "router/power/power_control.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/reply_text.h"
#include "router/ledger/ledger.h"
#include "router/policy/alert_rules.h"

namespace drover::router {
namespace {

// Time until a lowered cap is visible: a board reports a mean over a second and its host sends one
// each second, all of that twice; plus four heartbeats for messages, the disk and evaluations.
constexpr Duration shown_within = std::chrono::seconds(6);
constexpr int beats_under_way = 4;

/// Interval between two raises: by then devices draw what the last one gave.
constexpr Duration cap_raise_every = std::chrono::seconds(10);
constexpr int beats_per_cap_raise = 3;
/// Share of rated power; smaller raises are not made.
constexpr double least_raise = 0.02;

double sampled_w(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool) {
  return pool ? fleet_state.power_w(*pool) : fleet_state.power_w();
}

bool is_reachable(const FleetState& fleet_state, const GroupEntry& group) {
  return !group.gone && fleet_state.hosts()[group.host].health == Health::ok;
}

/// Delay of the samples that show a cap's effect.
Duration sample_lag(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool) {
  Duration lag{0};
  for (const GroupEntry& group : fleet_state.groups()) {
    if (!is_reachable(fleet_state, group) || (pool && !group.in_pool(*pool))) continue;
    lag = std::max(lag, fleet_state.hosts()[group.host].sample_lag);
  }
  return lag;
}

/// The devices' new caps, without changes that are too small.
std::vector<CapStep> raises(const FleetState& fleet_state, const CappedGroup& limit,
                            const std::map<DeviceIndex, double>& allowed_w) {
  std::vector<CapStep> steps;
  for (const CappedDevice& device : limit.devices) {
    const double* to_w = find_in(allowed_w, device.device);
    if (to_w == nullptr) continue;
    const double more_w = *to_w - device.cap_w;
    const bool whole = *to_w >= device.rated_w && more_w >= least_step_w;
    if (!whole && more_w < least_raise * device.rated_w) continue;
    if (fleet_state.devices().power_cap_w[device.device] <= 0) continue;
    steps.push_back({device.device, *to_w});
  }
  return steps;
}

}  // namespace

void PowerControl::handle(Instant now, const Caller& caller, const SetPowerCap& cap) {
  if (auto status = check_cap(cap, policy); !status) {
    return publisher.refuse_action(now, caller, action_text(cap), cap.target,
                                   status.error().message);
  }
  ActionReply reply;
  const Target target = *parse_target(cap.target);
  reply.problem = cap_confirmation_text(
      cap, target.kind == TargetKind::pool ? policy.pool_index(target.name) : std::nullopt);
  if (!reply.problem.empty()) {
    reply.confirm = true;
    publisher.reply_to_action(now, caller, action_text(cap), cap.target, std::move(reply));
    return;
  }
  reply.applied = true;
  reply.targets = {to_text(target)};
  const SetPowerCap set{reply.targets.front(), cap.watts, cap.duration, cap.admission_only};
  // The cap's own row first: an audited action must survive a restart.
  outbox.write(ledger::audit(now, set));
  const bool was_set = caps_.holds(set.target);
  caps_.set(now, set);
  change_limits();
  over_cap_since_.erase(set.target);  // its time starts again
  reply.summary = cap_effect_text(now, set, was_set);
  publisher.reply_to_action(now, caller, action_text(cap), cap.target, std::move(reply));
  enforce_caps(now);
}

void PowerControl::change_limits() {
  policy.limits = caps_.in_force();
  limits_changed_ = true;
  next_cap_raise_ = {};
  queue.wake_all();
}

void PowerControl::restore(Instant now, const std::vector<std::pair<Instant, SetPowerCap>>& caps) {
  for (const auto& [at, cap] : caps) {
    // A cap on a pool that the policy no longer has is dropped.
    if (check_cap(cap, policy)) caps_.set(at, cap);
  }
  caps_.end(now);
  change_limits();
}

void PowerControl::end_caps(Instant now) {
  const std::vector<std::string> ended = caps_.end(now);
  if (!ended.empty()) change_limits();
  for (const std::string& target : ended) {
    publisher.event(now, Severity::info, target,
                    "the power cap has ended: the policy's cap applies again");
  }
}

std::vector<PowerControl::CapLimit> PowerControl::cap_limits() const {
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

std::optional<PowerControl::CapLimit> PowerControl::cap_limit(const std::string& subject) const {
  const std::vector<CapLimit> limits = cap_limits();
  const CapLimit* limit = find_by(limits, &CapLimit::subject, subject);
  return limit == nullptr ? std::nullopt : std::optional(*limit);
}

double PowerControl::highest_cap(DeviceIndex device) const {
  const DeviceColumns& columns = fleet_state.devices();
  const devices::DeviceSpec& spec = *fleet_state.groups()[columns.group[device]].spec;
  if (!spec.real) return spec.power.tdp_w;
  const Board* board = find_in(boards, DeviceKey{columns.host[device], columns.number[device]});
  const double sampled_w = columns.power_cap_w[device];
  return board == nullptr ? sampled_w : board->power_cap_before_w.value_or(sampled_w);
}

double PowerControl::cap_in_force(Instant now, DeviceIndex device) const {
  const SentCap* sent = find_in(sent_caps, device);
  if (sent != nullptr && now < sent->until) return sent->watts;
  return fleet_state.devices().power_cap_w[device];
}

Duration PowerControl::caps_met_within(const std::optional<std::uint32_t>& pool) const {
  return shown_within + beats_under_way * settings.heartbeat_every + sample_lag(fleet_state, pool);
}

void PowerControl::enforce_caps(Instant now) {
  std::erase_if(sent_caps, [&](const auto& sent) { return sent.second.until <= now; });
  const std::vector<CapLimit> limits = cap_limits();
  std::map<std::string, Instant> over;
  for (const CapLimit& limit : limits) {
    if (limit.admission_only) continue;
    if (sampled_w(fleet_state, limit.pool) > limit.cap_w) {
      const Instant* since = find_in(over_cap_since_, limit.subject);
      over[limit.subject] = since == nullptr ? now : *since;
    }
    const CappedGroup drawn = limit_of(now, limit.pool, limit.cap_w, {});
    cap_devices(now, limit.subject, lower_to_cap(drawn), true);
  }
  over_cap_since_ = std::move(over);
  // With the power lever, the lever raises them.
  if (!policy.limits.lever.used) {
    restore_caps(now, limits);
    raise_caps(now, limits);
  }
}

/// Restores the full power of devices that no limit holds.
void PowerControl::restore_caps(Instant now, const std::vector<CapLimit>& limits) {
  const DeviceColumns& columns = fleet_state.devices();
  std::vector<CapStep> steps;
  for (const GroupEntry& group : fleet_state.groups()) {
    if (!is_reachable(fleet_state, group) || !group.spec->takes_power_cap()) continue;
    const bool held = std::ranges::any_of(limits, [&](const CapLimit& limit) {
      return !limit.admission_only && (!limit.pool || group.in_pool(*limit.pool));
    });
    if (held) continue;
    for (const DeviceIndex device : group.devices()) {
      if (columns.power_cap_w[device] <= 0) continue;  // no sample yet
      const double highest_w = highest_cap(device);
      if (highest_w - cap_in_force(now, device) < least_step_w) continue;
      steps.push_back({device, highest_w});
    }
  }
  cap_devices(now, "site", steps, false);
}

void PowerControl::raise_caps(Instant now, const std::vector<CapLimit>& limits) {
  if (now < next_cap_raise_) return;
  next_cap_raise_ = saturating_add(
      now, std::max(cap_raise_every, beats_per_cap_raise * settings.heartbeat_every));
  // A device is raised as far as all of its caps allow; a cap for new work only does not protect
  // other caps.
  std::map<DeviceIndex, double> allowed_w;
  std::vector<std::pair<const CapLimit*, CappedGroup>> held;
  for (const CapLimit& limit : limits) {
    CappedGroup drawn = limit_of(now, limit.pool, limit.cap_w, {});
    const double share =
        share_with_headroom(drawn, cap_release_share * limit.cap_w - drawn.drawn_w);
    for (const CappedDevice& device : drawn.devices) {
      const double to_w = std::min(device.rated_w, std::floor(share * device.rated_w));
      const auto [at, first] = allowed_w.emplace(device.device, to_w);
      if (!first) at->second = std::min(at->second, to_w);
    }
    if (!limit.admission_only) held.emplace_back(&limit, std::move(drawn));
  }
  for (const auto& [limit, drawn] : held) {
    const std::vector<CapStep> steps = raises(fleet_state, drawn, allowed_w);
    for (const CapStep& step : steps) allowed_w.erase(step.device);  // sent once
    cap_devices(now, limit->subject, steps, false);
  }
}

void PowerControl::add_unmet_cap_conditions(Instant now, std::vector<AlertCondition>& seen) const {
  for (const CapLimit& limit : cap_limits()) {
    const Instant* since = find_in(over_cap_since_, limit.subject);
    if (since == nullptr) continue;
    const CappedGroup drawn = limit_of(now, limit.pool, limit.cap_w, {});
    const bool out_of_reach = reach_of(drawn).least_w > limit.cap_w;
    if (!out_of_reach && now - *since < caps_met_within(limit.pool)) continue;
    const std::string why =
        out_of_reach ? cap_floor_text(fleet_state, limit.pool, drawn, lower_to_cap(drawn))
                     : cap_ignored_text(fleet_state, drawn, sent_caps);
    seen.push_back(
        {std::string(condition::power_cap_unmet), limit.subject,
         fmt::format("power {} of {}: {}", watts_text(sampled_w(fleet_state, limit.pool)),
                     watts_text(limit.cap_w), why)});
  }
}

std::string PowerControl::cap_confirmation_text(const SetPowerCap& cap,
                                                const std::optional<std::uint32_t>& pool) const {
  if (cap.watts <= 0 || cap.confirmed) return "";
  const IdleDraw idle = idle_draw(fleet_state, pool);
  if (cap.watts >= idle.watts) return "";
  return fmt::format("{} is below what {} of {} {} idle, {}: no work would start there",
                     watts_text(cap.watts), counted(idle.devices, "device", "devices"),
                     describe_target(*parse_target(cap.target)),
                     idle.devices == 1 ? "draws" : "draw", watts_text(idle.watts));
}

std::string PowerControl::remaining_cap_text(const std::string& subject, bool was_set) const {
  std::string words = was_set ? "cap removed" : "no cap was set";
  if (const auto own = cap_limit(subject)) {
    return fmt::format("{}, the policy's limit of {} applies", words, watts_text(own->cap_w));
  }
  words += ", no limit";
  std::string others;
  for (const CapLimit& limit : cap_limits()) {
    // The site's limit also applies to a pool, and pools may have limits below the site's.
    if (subject != "site" && limit.subject != "site") continue;
    others += fmt::format("{}{} applies to {}", others.empty() ? "" : ", ", watts_text(limit.cap_w),
                          describe_target(*parse_target(limit.subject)));
  }
  words += others.empty() ? " applies" : " of its own applies, but " + others;
  if (was_set && policy.limits.lever.used) words += "; device caps go up one step at a time";
  return words;
}

std::string PowerControl::cap_effect_text(Instant now, const SetPowerCap& cap, bool was_set) const {
  const std::string place = describe_target(*parse_target(cap.target));
  const auto limit = cap_limit(cap.target);
  if (cap.watts <= 0) return fmt::format("{}: {}", place, remaining_cap_text(cap.target, was_set));
  const std::string cap_text = watts_text(cap.watts);
  const std::string now_text = watts_text(sampled_w(fleet_state, limit->pool));
  const std::string span =
      cap.duration > Duration{0} ? "; for " + duration_phrase(cap.duration, settings.speed) : "";
  if (cap.admission_only) {
    return fmt::format("{}: new work waits above {}, {} now; running work is not slowed{}", place,
                       cap_text, now_text, span);
  }
  const CappedGroup drawn = limit_of(now, limit->pool, limit->cap_w, {});
  const std::vector<CapStep> steps = lower_to_cap(drawn);
  const CapReach reach = reach_of(drawn, steps);
  const std::string within = duration_phrase(caps_met_within(limit->pool), settings.speed);
  if (reach.least_w > cap.watts) {
    return fmt::format("{}: {} now; can reach {} within {}, but not {}: {}{}", place, now_text,
                       watts_text(reach.least_w), within, cap_text,
                       cap_floor_text(fleet_state, limit->pool, drawn, steps), span);
  }
  if (steps.empty()) {
    return fmt::format("{}: capped at {}, {} now: no device needs to slow down{}", place, cap_text,
                       now_text, span);
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
