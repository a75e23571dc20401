// Operators' actions on the fleet (faults, power caps, captions), and agents' reports on single
// devices.
//
// An action is checked, written to the ledger, published as an Audit and answered; agents receive
// it only when its row is on disk.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/target.h"
#include "fleet/xid.h"
#include "router/actions/injection.h"
#include "router/actions/reply_text.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

// Length limit of clients' texts, which are published and quoted in other texts.
constexpr std::size_t caption_max = 200;
constexpr std::size_t key_max = 16;
constexpr std::size_t report_max = 200;

/// "h1/0-3: throttle=0.5 for 60s: work there slows down; 2 jobs run there now".
std::string injection_text(const InjectFault& inject, const std::vector<FaultTarget>& reached,
                           const std::vector<std::string>& targets, std::size_t runs,
                           double speed) {
  const bool hosts = !reached.empty() && reached.front().whole;
  const std::string fault = inject.fault.kind == FaultKind::reclaim
                                ? "reclaim with a notice of " +
                                      duration_phrase(from_seconds(inject.fault.amount), speed) +
                                      ","
                                : to_text(inject.fault);
  return fmt::format("{}: {} for {}: {}; {} there now", compact_targets(targets), fault,
                     duration_phrase(inject.fault.duration, speed),
                     fault_effect_text(inject.fault, hosts),
                     runs == 0 ? "nothing runs" : counted(runs, "job runs", "jobs run"));
}

std::string device_text(const FleetState& fleet_state, DeviceKey device) {
  return to_text(DeviceId{fleet_state.hosts()[device.first].registration.host, device.second});
}

/// All devices of the host if the fault reaches it as a whole.
std::vector<DeviceKey> devices_reached(const FleetState& fleet_state, const FaultTarget& reached) {
  std::vector<DeviceKey> devices;
  for (const std::uint16_t number : reached.devices) devices.emplace_back(reached.host, number);
  if (!reached.whole) return devices;
  for (const DeviceIndex device : fleet_state.hosts()[reached.host].devices) {
    devices.emplace_back(reached.host, fleet_state.devices().number[device]);
  }
  return devices;
}

}  // namespace

void RouterCore::handle(Instant now, Caller caller, const InjectFault& inject) {
  const auto reached = plan_injection(inject, fleet_state, policy);
  if (!reached) {
    return publisher.refuse_action(now, caller, action_text(inject), inject.target,
                                   reached.error().message);
  }
  ActionReply reply;
  reply.applied = true;
  std::vector<DeviceKey> struck;
  for (const FaultTarget& one : *reached) {
    const HostEntry& host = fleet_state.hosts()[one.host];
    if (one.whole) reply.targets.push_back(host.registration.host);
    for (const std::uint16_t number : one.devices) {
      reply.targets.push_back(to_text(DeviceId{host.registration.host, number}));
    }
    for (const DeviceKey& device : devices_reached(fleet_state, one)) struck.push_back(device);
  }
  reply.summary =
      injection_text(inject, *reached, reply.targets, running_on(struck), settings.speed);
  const std::uint64_t write =
      publisher.reply_to_action(now, caller, action_text(inject), inject.target, std::move(reply));
  for (const FaultTarget& one : *reached) apply_fault(now, one, inject.fault, write);
}

void RouterCore::apply_fault(Instant now, const FaultTarget& reached, const Fault& fault,
                             std::uint64_t after_write) {
  const auto peer = connections.peer_of(fleet_state.hosts()[reached.host].registration.host);
  if (!peer) return;  // the host was lost meanwhile
  outbox.send_in_order(now, {Channel::control, *peer},
                       ApplyFault{reached.whole, reached.devices, fault}, after_write);
  if (clears_immediately(fault)) return;
  for (const DeviceKey& device : devices_reached(fleet_state, reached)) {
    conditions.inject(now, device, fault, reached.whole);
    publisher.publish_device(now, device);
  }
}

void RouterCore::replace_reported_faults(Instant now, HostIndex host, const Register& registration,
                                         Instant asked_at) {
  const std::size_t count = fleet_state.hosts()[host].devices.size();
  std::vector<ReportedCondition::InForce> of_host;
  FaultsByDevice reported;
  for (const ActiveFault& one : registration.faults) {
    const std::string words = to_text(one.fault);
    const bool unknown = std::any_of(one.devices.begin(), one.devices.end(),
                                     [&](std::uint16_t number) { return number >= count; });
    if (unknown || !can_be_in_force(one.fault)) {
      rejected.drop(now, registration.host,
                    fmt::format("{} is not a valid fault for its devices", words));
      continue;
    }
    const Instant until = std::min(one.until, saturating_add(now, total_duration(one.fault)));
    if (until <= now) continue;
    const ReportedCondition::InForce fault{{}, until, one.host, one.fault.kind, words};
    if (one.host) replace(of_host, fault);
    for (const std::uint16_t number : one.devices) replace(reported[number], fault);
  }
  for (std::uint16_t number = 0; !of_host.empty() && number < count; ++number) {
    auto& faults = reported[number];
    faults.insert(faults.end(), of_host.begin(), of_host.end());
  }
  for (const DeviceKey& device :
       conditions.replace_reported_faults(now, host, std::move(reported), asked_at)) {
    publisher.publish_device(now, device);
  }
}

void RouterCore::handle(Instant now, Caller caller, const SetPowerCap& cap) {
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
  const bool was_set = caps.holds(set.target);
  caps.set(now, set);
  change_limits();
  over_cap_since.erase(set.target);  // its time starts again
  reply.summary = cap_effect_text(now, set, was_set);
  publisher.reply_to_action(now, caller, action_text(cap), cap.target, std::move(reply));
  enforce_caps(now);
}

void RouterCore::change_limits() {
  policy.limits = caps.in_force();
  policy_unpublished = true;
  next_cap_raise = {};
  queue.wake_all();
}

void RouterCore::end_actions(Instant now) {
  for (const DeviceKey& device : conditions.end(now)) {
    update_device(now, device);
    queue.wake_all();
  }
  const std::vector<std::string> ended = caps.end(now);
  if (!ended.empty()) change_limits();
  for (const std::string& target : ended) {
    publisher.event(now, Severity::info, target,
                    "the power cap has ended: the policy's cap applies again");
  }
  cancel_due_attempts(now);
  if (std::exchange(policy_unpublished, false)) outbox.publish(now, policy_changed());
}

void RouterCore::handle(Instant now, Caller caller, const DeviceReport& report) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  if (report.device >= fleet_state.hosts()[*host].devices.size()) {
    return rejected.drop(now, caller.entry.host,
                         fmt::format("device {}: no such device", report.device));
  }
  std::string detail = printable(report.detail.substr(0, report_max));
  if (detail.empty() && report.xid > 0) detail = fmt::format("Xid {}", report.xid);
  if (detail.empty() && !report.usable) detail = "not usable";
  const DeviceKey device{*host, report.device};
  const ReportedCondition before = conditions.of(device);
  const bool passing = report.xid > 0 && clears_immediately(report.xid);
  if (passing || (report.usable && !detail.empty())) {
    // An event only: the device's usability is unchanged.
    publisher.event(now, Severity::warning, device_text(fleet_state, device), detail);
    if (report.usable) detail.clear();
    if (!report.usable && !before.usable) detail = before.detail;
  }
  if (!conditions.report(now, device, report.usable, detail)) return;
  update_device(now, device);
  if (before.usable != report.usable) {
    publisher.event(now, report.usable ? Severity::info : Severity::critical,
                    device_text(fleet_state, device),
                    report.usable ? "usable again" : "unusable: " + detail);
  }
  queue.wake_all();
}

void RouterCore::forget_conditions(Instant now, HostIndex host, bool in_force) {
  for (const DeviceKey& device : conditions.forget(host, in_force)) update_device(now, device);
}

void RouterCore::update_device(Instant now, DeviceKey device) {
  // A host may have returned with fewer devices.
  if (device.second < fleet_state.hosts()[device.first].devices.size()) {
    fleet_state.set_usable(device.first, device.second, conditions.of(device).usable);
    fleet_state.set_drained(device.first, device.second, conditions.of(device).drained);
  }
  publisher.publish_device(now, device);
}

void RouterCore::discard_stale_readings(Instant now) {
  const Instant heard_before = now - from_seconds(policy.stale_after_s);
  for (const auto& [device, condition] : conditions.all()) {
    const bool there = device.second < fleet_state.hosts()[device.first].devices.size();
    if (!condition.usable && there) {
      fleet_state.discard_stale_readings(device.first, device.second, heard_before);
    }
  }
}

void RouterCore::handle(Instant now, Caller caller, const Caption& said) {
  caption = said;
  caption.text = excerpt(said.text, caption_max);
  caption.key = excerpt(said.key, key_max);
  caption_by = caller.peer.number;
  outbox.publish(now, caption);
}

void RouterCore::end_caption(Instant now) {
  if (caption.text.empty() || connections.find(caption_by) != nullptr) return;
  caption = {};
  outbox.publish(now, caption);
}

PolicyChanged RouterCore::policy_changed() const {
  PolicyChanged shown;
  shown.name = policy.name;
  shown.version = static_cast<std::uint64_t>(policy.version);
  shown.hash = policy_origin.hash;
  shown.site_power_cap_w = policy.limits.site_power_cap_w;
  shown.stale_after_s = policy.stale_after_s;
  for (const Pool& pool : policy.pools) {
    const auto cap = policy.limits.pool_power_cap_w.find(pool.name);
    const bool capped = cap != policy.limits.pool_power_cap_w.end();
    shown.pools.push_back(
        {pool.name, capped ? cap->second : 0,
         usd_per_h(pool.prices, PurchaseOption::unspecified, nullptr).value_or(0)});
  }
  for (const AlertRule& rule : policy.alerts) {
    if (rule.enabled) shown.alert_rules.push_back(rule.published);
  }
  return shown;
}

}  // namespace drover::router
