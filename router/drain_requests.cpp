// Drains ordered by operators.
#include <algorithm>
#include <set>
#include <utility>

#include "fleet/base/text.h"
#include "router/actions.h"
#include "router/actions/reply_text.h"

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

void Actions::handle(Instant now, const Caller& caller, const SetDrain& asked) {
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
  availability.reapply_drains(now);
  attempts.check_cancels_at(drains.next_deadline());
  publisher.reply_to_action(now, caller, action_text(order), asked.target, std::move(reply));
}

std::vector<DeviceKey> Actions::devices_of(const Target& target) const {
  std::vector<DeviceKey> devices;
  for (const HostIndex host : hosts_by_name(fleet_state)) {
    for (const std::uint16_t number : covered_devices(target, fleet_state, policy, host)) {
      devices.emplace_back(host, number);
    }
  }
  return devices;
}

std::size_t Actions::running_on(const std::vector<DeviceKey>& devices) const {
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

}  // namespace drover::router
