#include "router/hosts/device_availability.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/xid.h"
#include "router/actions/injection.h"

namespace drover::router {
namespace {

// Length limit of agents' texts, which are published.
constexpr std::size_t report_max = 200;

std::string device_text(const FleetState& fleet_state, DeviceKey device) {
  return to_text(DeviceId{fleet_state.host_name(device.first), device.second});
}

}  // namespace

void DeviceAvailability::handle(Instant now, const Caller& caller, const DeviceReport& report) {
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

void DeviceAvailability::replace_reported_faults(Instant now, HostIndex host,
                                                 const Register& registration, Instant asked_at) {
  const std::size_t count = fleet_state.hosts()[host].devices.size();
  std::vector<ReportedCondition::InForce> of_host;
  FaultsByDevice reported;
  for (const ActiveFault& one : registration.faults) {
    const std::string words = to_text(one.fault);
    const bool unknown =
        std::ranges::any_of(one.devices, [&](std::uint16_t number) { return number >= count; });
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

void DeviceAvailability::forget_conditions(Instant now, HostIndex host, bool in_force) {
  for (const DeviceKey& device : conditions.forget(host, in_force)) update_device(now, device);
}

void DeviceAvailability::reapply_drains(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) reapply_drains(now, host);
  queue.wake_all();
}

void DeviceAvailability::reapply_drains(Instant now, HostIndex host) {
  for (std::size_t number = 0; number < fleet_state.hosts()[host].devices.size(); ++number) {
    const DeviceKey device{host, static_cast<std::uint16_t>(number)};
    const bool drained =
        drains.order_for(location_of(fleet_state, policy, host, device.second)) != nullptr;
    const bool changed = conditions.drain(now, device, drained);
    // Applied anyway: devices of a host that registered with other groups are new to FleetState.
    fleet_state.set_drained(host, device.second, drained);
    if (changed) publisher.publish_device(now, device);
  }
}

void DeviceAvailability::set_leaving(Instant now, HostIndex host, bool leaving) {
  if (fleet_state.hosts()[host].draining == leaving) return;
  fleet_state.host(host).draining = leaving;
  for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
    publisher.publish_device(now, {host, fleet_state.devices().number[device]});
  }
}

void DeviceAvailability::discard_stale_readings(Instant now) {
  const Instant heard_before = now - from_seconds(policy.stale_after_s);
  for (const auto& [device, condition] : conditions.all()) {
    const bool there = device.second < fleet_state.hosts()[device.first].devices.size();
    if (!condition.usable && there) {
      fleet_state.discard_stale_readings(device.first, device.second, heard_before);
    }
  }
}

void DeviceAvailability::update_device(Instant now, DeviceKey device) {
  // A host may have returned with fewer devices.
  if (device.second < fleet_state.hosts()[device.first].devices.size()) {
    fleet_state.set_usable(device.first, device.second, conditions.of(device).usable);
    fleet_state.set_drained(device.first, device.second, conditions.of(device).drained);
  }
  publisher.publish_device(now, device);
}

void DeviceAvailability::inject(Instant now, DeviceKey device, const Fault& fault, bool of_host) {
  conditions.inject(now, device, fault, of_host);
  publisher.publish_device(now, device);
}

void DeviceAvailability::end_faults(Instant now) {
  for (const DeviceKey& device : conditions.end(now)) {
    update_device(now, device);
    queue.wake_all();
  }
}

void DeviceAvailability::forget_host(Instant now, HostIndex host) {
  for (const DeviceKey& device : conditions.forget(host)) conditions.drain(now, device, false);
}

}  // namespace drover::router
