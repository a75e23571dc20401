// What people do to the fleet: faults injected, power caps set, captions said; and what agents
// report of single devices.
//
// An action is checked, written to the ledger, published as an Audit and answered; agents hear of
// it only when its row is on disk.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/target.h"
#include "fleet/xid.h"
#include "router/actions/action_words.h"
#include "router/actions/injection.h"
#include "router/state.h"

namespace drover::router {
namespace {

// As many as one screen shows; the reply to a fault in a whole site would not fit a message.
constexpr std::size_t targets_told_max = 1'000;
// Texts of clients, cut: they are published, and quoted in other texts.
constexpr std::size_t who_max = 64;
constexpr std::size_t target_max = 100;
constexpr std::size_t caption_max = 200;
constexpr std::size_t key_max = 16;
constexpr std::size_t report_max = 200;

/// "h1/0-3: throttle=0.5 for 60s: work there slows down; 2 jobs run there now".
std::string injection_words(const Inject& inject, const std::vector<Reached>& reached,
                            const std::vector<std::string>& targets, std::size_t runs,
                            double speed) {
  const bool hosts = !reached.empty() && reached.front().whole;
  const std::string fault =
      inject.fault.kind == FaultKind::reclaim
          ? "reclaim with a notice of " + span_words(from_seconds(inject.fault.amount), speed) + ","
          : to_text(inject.fault);
  return fmt::format("{}: {} for {}: {}; {} there now", folded(targets), fault,
                     span_words(inject.fault.lasts, speed), fault_follows(inject.fault, hosts),
                     runs == 0 ? "nothing runs" : counted(runs, "job runs", "jobs run"));
}

std::string device_text(const Roster& roster, DeviceKey device) {
  return to_text(DeviceId{roster.hosts()[device.first].hello.host, device.second});
}

}  // namespace

void Core::act(Instant now, Caller caller, const Inject& inject) {
  ActionReply reply;
  const auto reached = plan_injection(inject, roster, policy);
  if (!reached) {
    reply.problem = reached.error().message;
    conclude(now, caller, action_text(inject), inject.target, std::move(reply));
    return;
  }
  reply.applied = true;
  std::vector<DeviceKey> struck;
  for (const Reached& one : *reached) {
    const HostEntry& host = roster.hosts()[one.host];
    if (one.whole) reply.targets.push_back(host.hello.host);
    for (const std::uint16_t number : one.devices) {
      reply.targets.push_back(to_text(DeviceId{host.hello.host, number}));
      struck.emplace_back(one.host, number);
    }
    for (std::size_t number = 0; one.whole && number < host.devices.size(); ++number) {
      struck.emplace_back(one.host, static_cast<std::uint16_t>(number));
    }
  }
  reply.summary =
      injection_words(inject, *reached, reply.targets, running_on(struck), settings.speed);
  const std::uint64_t write =
      conclude(now, caller, action_text(inject), inject.target, std::move(reply));
  for (const Reached& one : *reached) apply_fault(now, one, inject.fault, write);
}

void Core::apply_fault(Instant now, const Reached& reached, const Fault& fault,
                       std::uint64_t after_write) {
  const HostEntry& host = roster.hosts()[reached.host];
  const auto peer = peers.peer_of(host.hello.host);
  if (!peer) return;  // lost in the meantime
  mail.send_in_order(now, {Channel::control, *peer},
                     ApplyFault{reached.whole, reached.devices, fault}, after_write);
  if (over_at_once(fault)) return;
  std::vector<std::uint16_t> devices = reached.devices;
  if (reached.whole) {
    for (std::size_t number = 0; number < host.devices.size(); ++number) {
      devices.push_back(static_cast<std::uint16_t>(number));
    }
  }
  for (const std::uint16_t number : devices) {
    conditions.inject(now, {reached.host, number}, fault, reached.whole);
    publish_device(now, {reached.host, number});
  }
}

void Core::hear_faults(Instant now, HostIndex host, const Hello& hello, Instant asked_at) {
  const std::size_t count = roster.hosts()[host].devices.size();
  std::vector<Condition::InForce> of_host;
  FaultsByDevice told;
  for (const FaultInForce& one : hello.faults) {
    const std::string words = to_text(one.fault);
    const bool unknown = std::any_of(one.devices.begin(), one.devices.end(),
                                     [&](std::uint16_t number) { return number >= count; });
    if (unknown || !can_be_in_force(one.fault)) {
      drop(now, hello.host, fmt::format("{} is no fault that its devices can have", words));
      continue;
    }
    const Instant until = std::min(one.until, saturating_add(now, whole_span(one.fault)));
    if (until <= now) continue;
    const Condition::InForce fault{{}, until, one.host, one.fault.kind, words};
    if (one.host) replace(of_host, fault);
    for (const std::uint16_t number : one.devices) replace(told[number], fault);
  }
  for (std::uint16_t number = 0; !of_host.empty() && number < count; ++number) {
    auto& faults = told[number];
    faults.insert(faults.end(), of_host.begin(), of_host.end());
  }
  for (const DeviceKey& device : conditions.hear_faults(now, host, std::move(told), asked_at)) {
    publish_device(now, device);
  }
}

void Core::act(Instant now, Caller caller, const SetPowerCap& cap) {
  ActionReply reply;
  if (auto status = check_cap(cap, policy); !status) {
    reply.problem = status.error().message;
    conclude(now, caller, action_text(cap), cap.target, std::move(reply));
    return;
  }
  const Target target = *parse_target(cap.target);
  reply.problem = cap_doubt(
      cap, target.kind == TargetKind::pool ? policy.pool_index(target.name) : std::nullopt);
  if (!reply.problem.empty()) {
    reply.confirm = true;
    conclude(now, caller, action_text(cap), cap.target, std::move(reply));
    return;
  }
  reply.applied = true;
  reply.targets = {to_text(target)};
  const SetPowerCap set{reply.targets.front(), cap.watts, cap.lasts, cap.admission_only};
  // The cap's own row first: what is audited as applied must survive a restart.
  mail.write(ledger::power_cap(now, set));
  const bool was_set = caps.holds(set.target);
  caps.set(now, set);
  change_limits();
  over_cap_since.erase(set.target);  // its time begins anew
  reply.summary = cap_outlook(now, set, was_set);
  conclude(now, caller, action_text(cap), cap.target, std::move(reply));
  hold_caps(now);
}

std::string Core::who(Caller caller) const {
  return caller.entry.name.empty() ? fmt::format("connection {}", caller.peer.number)
                                   : excerpt(caller.entry.name, who_max);
}

std::uint64_t Core::put_on_record(Instant now, Audit audit) {
  audit.target = excerpt(audit.target, target_max);
  const std::uint64_t write = mail.write(ledger::audit(now, audit));
  const std::string action = fmt::format("{}: {}", audit.who, audit.action);
  event(now, audit.applied ? Severity::warning : Severity::info, audit.target,
        audit.applied ? action : fmt::format("{}: not done: {}", action, audit.detail));
  mail.publish(now, std::move(audit));
  return write;
}

std::uint64_t Core::conclude(Instant now, Caller caller, const std::string& action,
                             const std::string& target, ActionReply reply) {
  const std::uint64_t write = put_on_record(now, {who(caller), action, target, reply.applied,
                                                  reply.applied ? reply.summary : reply.problem});
  if (reply.targets.size() > targets_told_max) {
    const std::size_t more = reply.targets.size() - targets_told_max;
    reply.targets.resize(targets_told_max);
    reply.targets.push_back(fmt::format("and {} more", more));
  }
  mail.send(now, caller.peer, std::move(reply), write);
  return write;
}

void Core::change_limits() {
  policy.limits = caps.in_force();
  policy_untold = true;
  next_give_back = {};
  queue.wake_all();
}

void Core::end_actions(Instant now) {
  for (const DeviceKey& device : conditions.end(now)) {
    settle_device(now, device);
    queue.wake_all();
  }
  const std::vector<std::string> ended = caps.end(now);
  if (!ended.empty()) change_limits();
  for (const std::string& target : ended) {
    event(now, Severity::info, target, "the power cap has ended: the policy's own holds again");
  }
  call_off(now);
  if (std::exchange(policy_untold, false)) mail.publish(now, policy_shown());
}

void Core::take(Instant now, Caller caller, const DeviceReport& report) {
  const auto host = roster.find_host(caller.entry.host);
  if (!host) return;
  if (report.device >= roster.hosts()[*host].devices.size()) {
    return drop(now, caller.entry.host, fmt::format("device {}: no such device", report.device));
  }
  std::string detail = printable(report.detail.substr(0, report_max));
  if (detail.empty() && report.xid > 0) detail = fmt::format("Xid {}", report.xid);
  if (detail.empty() && !report.usable) detail = "not usable";
  const DeviceKey device{*host, report.device};
  const Condition before = conditions.of(device);
  const bool passing = report.xid > 0 && over_at_once(report.xid);
  if (passing || (report.usable && !detail.empty())) {
    // Said in passing: no reason why the device is usable or not.
    event(now, Severity::warning, device_text(roster, device), detail);
    if (report.usable) detail.clear();
    if (!report.usable && !before.usable) detail = before.detail;
  }
  if (!conditions.report(now, device, report.usable, detail)) return;
  settle_device(now, device);
  if (before.usable != report.usable) {
    event(now, report.usable ? Severity::info : Severity::critical, device_text(roster, device),
          report.usable ? "usable again" : "unusable: " + detail);
  }
  queue.wake_all();
}

void Core::forget_conditions(Instant now, HostIndex host, bool in_force) {
  for (const DeviceKey& device : conditions.forget(host, in_force)) settle_device(now, device);
}

void Core::settle_device(Instant now, DeviceKey device) {
  // A host may have come back with fewer devices.
  if (device.second < roster.hosts()[device.first].devices.size()) {
    roster.set_usable(device.first, device.second, conditions.of(device).usable);
    roster.set_drained(device.first, device.second, conditions.of(device).drained);
  }
  publish_device(now, device);
}

void Core::settle_silent(Instant now) {
  const Instant heard_before = now - from_seconds(policy.stale_after_s);
  for (const auto& [device, condition] : conditions.all()) {
    const bool there = device.second < roster.hosts()[device.first].devices.size();
    if (!condition.usable && there) {
      roster.settle_silent(device.first, device.second, heard_before);
    }
  }
}

void Core::take(Instant now, Caller caller, const Caption& said) {
  caption = said;
  caption.text = excerpt(said.text, caption_max);
  caption.key = excerpt(said.key, key_max);
  caption_by = caller.peer.number;
  mail.publish(now, caption);
}

void Core::end_caption(Instant now) {
  if (caption.text.empty() || peers.find(caption_by) != nullptr) return;
  caption = {};
  mail.publish(now, caption);
}

DeviceChanged Core::device_shown(DeviceKey device) const {
  const Condition& condition = conditions.of(device);
  DeviceChanged changed;
  changed.host = roster.hosts()[device.first].hello.host;
  changed.device = device.second;
  changed.usable = condition.usable;
  changed.since = condition.since;
  changed.detail = condition.detail;
  for (const Condition::InForce& fault : condition.faults) changed.injected.push_back(fault.words);
  changed.drained = condition.drained || roster.hosts()[device.first].draining;
  return changed;
}

void Core::publish_device(Instant now, DeviceKey device) {
  DeviceChanged changed = device_shown(device);
  if (changed.since == Instant{}) changed.since = now;
  mail.publish(now, std::move(changed));
}

PolicyChanged Core::policy_shown() const {
  PolicyChanged shown;
  shown.name = policy.name;
  shown.version = static_cast<std::uint64_t>(policy.version);
  shown.hash = policy_origin.hash;
  shown.site_power_cap_w = policy.limits.site_power_cap_w;
  shown.stale_after_s = policy.stale_after_s;
  for (const Pool& pool : policy.pools) {
    const auto cap = policy.limits.pool_power_cap_w.find(pool.name);
    const bool capped = cap != policy.limits.pool_power_cap_w.end();
    shown.pools.push_back({pool.name, capped ? cap->second : 0,
                           usd_per_h(pool.prices, PriceTerm::unsaid, nullptr).value_or(0)});
  }
  for (const AlertRule& rule : policy.alerts) {
    if (rule.enabled) shown.alert_rules.push_back(rule.told);
  }
  return shown;
}

}  // namespace drover::router
