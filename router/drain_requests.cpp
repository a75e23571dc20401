// Drains ordered by operators, and attempts that must be cancelled: those of cancelled jobs, those
// still running after a drain's deadline, and preempted ones.
//
// An attempt ends only when its agent reports it: until then it runs, and its result may be on the
// way. The Cancel is repeated each heartbeat, because any message may be lost.
#include <algorithm>
#include <set>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/reply_text.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

/// "h1: draining 8 devices, 2 jobs have until 14:02:10 (10m), then they are requeued".
std::string drain_text(Instant now, const SetDrain& order, const std::string& place,
                       std::size_t devices, std::size_t runs, double speed) {
  const std::string there = counted(devices, "device", "devices");
  if (devices == 0) return fmt::format("{}: drained, it has no devices now", place);
  if (runs == 0) return fmt::format("{}: drained {}, nothing runs there", place, there);
  const std::string jobs = counted(runs, "job", "jobs");
  if (order.deadline <= Duration{0}) {
    return fmt::format("{}: draining {}; {} still {} and will finish", place, there, jobs,
                       runs == 1 ? "runs" : "run");
  }
  return fmt::format("{}: draining {}, {} {} until {} ({}), then {} requeued", place, there, jobs,
                     runs == 1 ? "has" : "have",
                     fleet_time_text(saturating_add(now, order.deadline)),
                     duration_phrase(order.deadline, speed), runs == 1 ? "it is" : "they are");
}

/// "h1: resumed 8 devices, 3 waiting jobs are decided again".
std::string resume_text(const std::string& place, std::size_t devices, std::size_t waiting) {
  if (devices == 0) return fmt::format("{}: resumed, it has no devices now", place);
  return fmt::format(
      "{}: resumed {}, {}", place, counted(devices, "device", "devices"),
      waiting == 0 ? "no job waits"
                   : counted(waiting, "waiting job is", "waiting jobs are") + " re-evaluated");
}

}  // namespace

void RouterCore::handle(Instant now, Caller caller, const SetDrain& asked) {
  const auto target = check_drain(asked, fleet_state, policy, drains);
  if (!target) {
    return publisher.refuse_action(now, caller, action_text(asked), asked.target,
                                   target.error().message);
  }
  const std::vector<DeviceKey> reached = devices_of(*target);
  const bool stands = drains.is_drained_target(*target) ||
                      std::any_of(reached.begin(), reached.end(), [&](const DeviceKey& device) {
                        return conditions.of(device).drained;
                      });
  if (!asked.drained && !stands) {
    return publisher.refuse_action(now, caller, action_text(asked), asked.target,
                                   fmt::format("no device of {} is drained", to_text(*target)));
  }
  ActionReply reply;
  reply.applied = true;
  for (const auto& [host, number] : reached) {
    reply.targets.push_back(to_text(DeviceId{fleet_state.hosts()[host].registration.host, number}));
  }
  if (reached.empty()) reply.targets = {to_text(*target)};
  const SetDrain order{to_text(*target), asked.drained, asked.deadline};
  // The order's own row first: an audited action must survive a restart.
  outbox.write(ledger::audit(now, order));
  drains.apply(now, order);
  const std::string place = describe_target(*target);
  reply.summary = order.drained ? drain_text(now, order, place, reached.size(), running_on(reached),
                                             settings.speed)
                                : resume_text(place, reached.size(), queue.size());
  reapply_drains(now);
  next_cancel = std::min(next_cancel, drains.next_deadline());
  publisher.reply_to_action(now, caller, action_text(order), asked.target, std::move(reply));
}

std::vector<DeviceKey> RouterCore::devices_of(const Target& target) const {
  std::vector<DeviceKey> devices;
  for (const HostIndex host : hosts_by_name(fleet_state)) {
    for (const std::uint16_t number : covered_devices(target, fleet_state, policy, host)) {
      devices.emplace_back(host, number);
    }
  }
  return devices;
}

void RouterCore::reapply_drains(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) reapply_drains(now, host);
  queue.wake_all();
}

void RouterCore::reapply_drains(Instant now, HostIndex host) {
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

std::optional<Reason> RouterCore::cancel_reason(Instant now, const JobRecord& record) const {
  if (!record.cancelled.empty()) return Reason::cancelled;
  const Preemption* preemption = preemptions.against(record);
  if (preemption != nullptr && PreemptionTable::is_due(*preemption, record, now)) {
    return Reason::preempted;
  }
  for (const Member& member : record.lease.members) {
    if (is_drained(now, record, member)) return Reason::drain;
  }
  // A member of the gang is lost: the others are cancelled.
  if (record.lease.failure) return Reason::cancelled;
  return std::nullopt;
}

std::size_t RouterCore::running_on(const std::vector<DeviceKey>& devices) const {
  const std::set<DeviceKey> asked(devices.begin(), devices.end());
  std::set<HostIndex> hosts;
  for (const DeviceKey& device : devices) hosts.insert(device.first);
  std::set<const JobRecord*> running;
  for (const HostIndex host : hosts) {
    const std::string& name = fleet_state.hosts()[host].registration.host;
    for (const JobRecord* record : jobs.on_host(name)) {
      for (const std::uint16_t number :
           member_devices(fleet_state, *record, *record->lease.member(name))) {
        if (asked.contains({host, number})) running.insert(record);
      }
    }
  }
  return running.size();
}

bool RouterCore::is_drained(Instant now, const JobRecord& record, const Member& member) const {
  const auto host = fleet_state.find_host(member.host);
  if (!host) return false;
  const auto devices = member_devices(fleet_state, record, member);
  return std::any_of(devices.begin(), devices.end(), [&](std::uint16_t number) {
    if (number >= fleet_state.hosts()[*host].devices.size()) return false;
    const auto* word = drains.order_for(location_of(fleet_state, policy, *host, number));
    return word != nullptr && word->deadline <= now;
  });
}

void RouterCore::cancel_due_attempts(Instant now) {
  if (now < next_cancel) return;
  for (const Target& target : drains.take_expired(now)) {
    publisher.event(now, Severity::warning, to_text(target),
                    "its drain deadline has passed: work still running there is requeued");
  }
  next_cancel = std::min(drains.next_deadline(), preemptions.next_grace_end(now));
  for (const HostEntry& host : fleet_state.hosts()) {
    for (const JobRecord* record : jobs.on_host(host.registration.host)) {
      const auto reason = cancel_reason(now, *record);
      if (!reason) continue;
      send_to_member(now, *record->lease.member(host.registration.host),
                     Cancel{record->job.id, record->attempt, *reason});
      next_cancel = std::min(next_cancel, saturating_add(now, settings.heartbeat_every));
    }
  }
}

}  // namespace drover::router
