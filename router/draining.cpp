// Where no new work may come because somebody said so, and attempts that are called off: those of
// cancelled jobs, and those that still run where a drain's deadline has passed.
//
// Nothing ends before its agent says so: until then it runs, and the result may be under way. The
// Cancel is said again each heartbeat, as any message may be lost.
#include <algorithm>
#include <utility>

#include "router/state.h"

namespace drover::router {

void Core::act(Instant now, Caller caller, const SetDrain& asked) {
  ActionReply reply;
  const auto target = check_drain(asked, roster, policy, drains);
  if (!target) {
    reply.problem = target.error().message;
    conclude(now, caller, action_text(asked), asked.target, std::move(reply));
    return;
  }
  const std::vector<DeviceKey> reached = devices_of(*target);
  const bool stands = drains.names(*target) ||
                      std::any_of(reached.begin(), reached.end(), [&](const DeviceKey& device) {
                        return conditions.of(device).drained;
                      });
  if (!asked.drained && !stands) {
    reply.problem = fmt::format("nothing of {} is drained", to_text(*target));
    conclude(now, caller, action_text(asked), asked.target, std::move(reply));
    return;
  }
  reply.applied = true;
  for (const auto& [host, number] : reached) {
    reply.targets.push_back(to_text(DeviceId{roster.hosts()[host].hello.host, number}));
  }
  if (reached.empty()) reply.targets = {to_text(*target)};
  const SetDrain said{to_text(*target), asked.drained, asked.deadline};
  // Its own row first: what is audited as applied must survive a restart.
  mail.write(ledger::drain(now, said));
  drains.say(now, said);
  settle_drains(now);
  next_call_off = std::min(next_call_off, drains.next_deadline());
  conclude(now, caller, action_text(said), asked.target, std::move(reply));
}

std::vector<DeviceKey> Core::devices_of(const Target& target) const {
  std::vector<DeviceKey> devices;
  for (const HostIndex host : hosts_by_name(roster)) {
    for (std::size_t number = 0; number < roster.hosts()[host].devices.size(); ++number) {
      const DeviceKey device{host, static_cast<std::uint16_t>(number)};
      if (covers(target, place_of(roster, policy, host, device.second))) devices.push_back(device);
    }
  }
  return devices;
}

void Core::settle_drains(Instant now) {
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) settle_drains(now, host);
  queue.wake_all();
}

void Core::settle_drains(Instant now, HostIndex host) {
  for (std::size_t number = 0; number < roster.hosts()[host].devices.size(); ++number) {
    const DeviceKey device{host, static_cast<std::uint16_t>(number)};
    const bool drained = drains.over(place_of(roster, policy, host, device.second)) != nullptr;
    const bool changed = conditions.drain(now, device, drained);
    // Said even so: the devices of a host that joined with other groups are new to the roster.
    roster.set_drained(host, device.second, drained);
    if (changed) publish_device(now, device);
  }
}

std::optional<Reason> Core::called_off(Instant now, const JobRecord& record) const {
  if (!record.cancelled.empty()) return Reason::cancelled;
  for (const Member& member : record.lease.members) {
    if (is_drained(now, record, member)) return Reason::drain;
  }
  // A member of the gang is lost: the others are called off.
  if (record.lease.failure) return Reason::cancelled;
  return std::nullopt;
}

bool Core::is_drained(Instant now, const JobRecord& record, const Member& member) const {
  const auto host = roster.find_host(member.host);
  if (!host) return false;
  std::vector<std::uint16_t> devices = member.devices;
  if (record.lease.replica) {
    const auto replica = roster.find_replica(*host, *record.lease.replica);
    if (!replica) return false;
    devices = roster.replicas()[*replica].replica.devices;
  }
  return std::any_of(devices.begin(), devices.end(), [&](std::uint16_t number) {
    if (number >= roster.hosts()[*host].devices.size()) return false;
    const auto* word = drains.over(place_of(roster, policy, *host, number));
    return word != nullptr && word->deadline <= now;
  });
}

void Core::call_off(Instant now) {
  if (now < next_call_off) return;
  for (const Target& target : drains.pass_deadlines(now)) {
    event(now, Severity::warning, to_text(target),
          "its time to drain is over: what still runs there goes elsewhere");
  }
  next_call_off = drains.next_deadline();
  for (const HostEntry& host : roster.hosts()) {
    for (const JobRecord* record : jobs.on_host(host.hello.host)) {
      const auto reason = called_off(now, *record);
      if (!reason) continue;
      tell(now, *record->lease.member(host.hello.host),
           Cancel{record->job.id, record->attempt, *reason});
      next_call_off = std::min(next_call_off, saturating_add(now, settings.heartbeat_every));
    }
  }
}

}  // namespace drover::router
