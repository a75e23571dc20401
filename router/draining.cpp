// Where no new work may come because somebody said so, and attempts that are called off: those of
// cancelled jobs, those that still run where a drain's deadline has passed, and those that make
// room for others.
//
// Nothing ends before its agent says so: until then it runs, and the result may be under way. The
// Cancel is said again each heartbeat, as any message may be lost.
#include <algorithm>
#include <set>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/action_words.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// "h1: draining 8 devices, 2 jobs have until 14:02:10 (10m), then they are requeued".
std::string drain_words(Instant now, const SetDrain& said, const std::string& place,
                        std::size_t devices, std::size_t runs, double speed) {
  const std::string there = counted(devices, "device", "devices");
  if (devices == 0) return fmt::format("{}: drained, none of its devices is here now", place);
  if (runs == 0) return fmt::format("{}: drained {}, nothing runs there", place, there);
  const std::string jobs = counted(runs, "job", "jobs");
  if (said.deadline <= Duration{0}) {
    return fmt::format("{}: draining {}, {} {} to the end", place, there, jobs,
                       runs == 1 ? "runs" : "run");
  }
  return fmt::format("{}: draining {}, {} {} until {} ({}), then {} requeued", place, there, jobs,
                     runs == 1 ? "has" : "have", clock_words(saturating_add(now, said.deadline)),
                     span_words(said.deadline, speed), runs == 1 ? "it is" : "they are");
}

/// "h1: resumed 8 devices, 3 jobs wait for work places".
std::string resume_words(const std::string& place, std::size_t devices, std::size_t waiting) {
  if (devices == 0) return fmt::format("{}: resumed, none of its devices is here now", place);
  return fmt::format("{}: resumed {}, {}", place, counted(devices, "device", "devices"),
                     waiting == 0 ? "no job waits"
                                  : counted(waiting, "job that waits is", "jobs that wait are") +
                                        " looked at again");
}

}  // namespace

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
  const std::string place = place_words(*target);
  reply.summary = said.drained ? drain_words(now, said, place, reached.size(), running_on(reached),
                                             settings.speed)
                               : resume_words(place, reached.size(), queue.size());
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
  const Preemption* preemption = preemptions.against(record);
  if (preemption != nullptr && PreemptionBook::is_due(*preemption, record, now)) {
    return Reason::preempted;
  }
  for (const Member& member : record.lease.members) {
    if (is_drained(now, record, member)) return Reason::drain;
  }
  // A member of the gang is lost: the others are called off.
  if (record.lease.failure) return Reason::cancelled;
  return std::nullopt;
}

std::vector<std::uint16_t> Core::devices_of(const JobRecord& record, const Member& member) const {
  if (!record.lease.replica) return member.devices;
  const auto host = roster.find_host(member.host);
  const auto replica =
      host ? roster.find_replica(*host, *record.lease.replica) : std::optional<ReplicaIndex>();
  return replica ? roster.replicas()[*replica].replica.devices : std::vector<std::uint16_t>();
}

std::size_t Core::running_on(const std::vector<DeviceKey>& devices) const {
  const std::set<DeviceKey> asked(devices.begin(), devices.end());
  std::set<HostIndex> hosts;
  for (const DeviceKey& device : devices) hosts.insert(device.first);
  std::set<const JobRecord*> running;
  for (const HostIndex host : hosts) {
    const std::string& name = roster.hosts()[host].hello.host;
    for (const JobRecord* record : jobs.on_host(name)) {
      for (const std::uint16_t number : devices_of(*record, *record->lease.member(name))) {
        if (asked.contains({host, number})) running.insert(record);
      }
    }
  }
  return running.size();
}

bool Core::is_drained(Instant now, const JobRecord& record, const Member& member) const {
  const auto host = roster.find_host(member.host);
  if (!host) return false;
  const std::vector<std::uint16_t> devices = devices_of(record, member);
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
  next_call_off = std::min(drains.next_deadline(), preemptions.next_call(now));
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
