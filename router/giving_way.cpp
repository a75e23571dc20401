// Spare replicas give way. A replica that the router has started stays loaded when its requests
// have ended, as loading it again would take a minute. When other work finds no devices meanwhile,
// and it has been spare (spare_replicas.h) for `[replicas] yield_after`, it leaves, long before
// `retire_after`: what it still serves ends there. Its devices are kept for the job that waits, as
// those of work that is preempted are (preempting.cpp).
//
// A gang for which devices are kept until others end (keeping_shares.cpp) takes these instead.
//
// Which replicas go is found by trying: a decision as if the longest spare ones had left, first
// one, then twice as many each time. Of these only such go as stand where the job would be.
#include <algorithm>
#include <map>
#include <utility>

#include "router/roster/roster_trial.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// Jobs for which room is sought in one heartbeat.
constexpr std::size_t seekers_max = 16;

using SeekerKey = Core::SeekerKey;
using Seekers = std::map<SeekerKey, JobRecord*>;

/// The oldest of each class that has waited for so long, the most urgent first. What a class is
/// said to wait for is the reason of the pool that it wants: devices of another one may help it all
/// the same. Only the retry budget is no matter of devices.
Seekers seekers(Instant now, Duration waited, const JobQueue& queue) {
  Seekers found;
  for (const auto& [signature, queue_class] : queue.classes()) {
    const std::optional<Reason> reason = queue_class.verdict.reason;
    if (queue_class.jobs.empty() || !reason || *reason == Reason::budget) continue;
    JobRecord* first = queue_class.jobs.begin()->second;
    if (now - first->wait_began() < waited) continue;
    found.emplace(SeekerKey(-queue_class.priority, first->number), first);
  }
  return found;
}

std::vector<DeviceIndex> devices_at(const Roster& roster, const Place& place) {
  std::vector<DeviceIndex> devices;
  const auto add = [&](HostIndex host, const std::vector<std::uint16_t>& numbers) {
    for (const std::uint16_t number : numbers) {
      devices.push_back(roster.hosts()[host].devices[number]);
    }
  };
  add(place.host, place.devices);
  for (const PlacePart& part : place.others) add(part.host, part.devices);
  return devices;
}

}  // namespace

void Core::give_way(Instant now) {
  if (now < next_give_way) return;
  next_give_way = saturating_add(now, settings.heartbeat_every);
  keep_shares(now);
  spares.look(now, roster, policy, keeper);
  auto spare = spares.spare_for(now, policy.replicas.yield_after);
  std::erase_if(spare, [&](ReplicaIndex index) { return is_long_busy(index); });
  if (spare.empty()) return;
  const Seekers waiting = seekers(now, policy.replicas.start_after, queue);
  // Where there are more than are asked at once, the others come next time.
  auto next = waiting.size() > seekers_max ? waiting.upper_bound(last_seeker) : waiting.begin();
  const std::size_t most = std::min(waiting.size(), seekers_max);
  for (std::size_t asked = 0; asked < most && !spare.empty(); ++asked, ++next) {
    if (next == waiting.end()) next = waiting.begin();
    last_seeker = next->first;
    const JobId& job = next->second->job.id;
    // Devices that are kept until others end may come later than those of a spare replica.
    if (preemptions.of(job) != nullptr && job != kept_for_share) continue;
    if (!make_room(now, *next->second, spare)) continue;
    std::erase_if(spare, [&](ReplicaIndex index) { return roster.replicas()[index].retiring; });
  }
}

/// The devices that it would leave are kept for no longer than a reservation stands.
bool Core::is_long_busy(ReplicaIndex index) const {
  const ReplicaId& id = roster.replicas()[index].replica.id;
  const double longest_s = to_seconds(2 * settings.lost_after);
  const auto on_host = jobs.on_host(id.host);
  return std::any_of(on_host.begin(), on_host.end(), [&](const JobRecord* record) {
    return record->lease.replica == id.number && record->remaining_s > longest_s;
  });
}

std::optional<Place> Core::place_without(Instant now, const JobRecord& record,
                                         const std::vector<ReplicaIndex>& lifted) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return std::nullopt;
  const Ask ask = ask_for(record, (*model)->spec);
  RosterTrial trial(roster);
  for (const ReplicaIndex index : lifted) trial.lift(index);
  Dice tried = dice;  // nothing is decided: later decisions draw as if this had not been asked
  Verdict verdict = record.job.work.kind == WorkKind::train
                        ? decide(roster, policy, estimator, ask, now, tried)
                        : decide_replica(roster, policy, estimator, ask, now, tried);
  return std::move(verdict.place);
}

bool Core::make_room(Instant now, const JobRecord& record, const std::vector<ReplicaIndex>& spare) {
  std::optional<Place> place;
  // Where there is room without anybody leaving, nobody need leave.
  for (std::size_t count = 0; !place; count = std::max<std::size_t>(1, 2 * count)) {
    count = std::min(count, spare.size());
    place = place_without(now, record,
                          {spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(count)});
    if (count == spare.size()) break;
  }
  if (!place || place->replica) return false;
  Preemption room;
  room.job = record.job.id;
  room.devices = devices_at(roster, *place);
  std::set<HostIndex> hosts{place->host};
  for (const PlacePart& part : place->others) hosts.insert(part.host);
  room.hosts.assign(hosts.begin(), hosts.end());
  std::string left;
  for (const ReplicaIndex index : spare) {
    bool stands_there = false;
    roster.each_device(roster.replicas()[index], [&](DeviceIndex device) {
      stands_there |=
          std::find(room.devices.begin(), room.devices.end(), device) != room.devices.end();
    });
    const std::string why = fmt::format("spare: gives way to {}", to_short_text(record.job.id));
    if (!stands_there || !retire_replica(now, index, "gives way", why)) continue;
    left +=
        fmt::format("{}{}", left.empty() ? "" : ", ", to_text(roster.replicas()[index].replica.id));
  }
  if (left.empty()) return false;
  event(now, Severity::info, to_short_text(record.job.id),
        fmt::format("spare replicas give way to it: {}", left));
  if (record.job.id == kept_for_share) {
    end_preemption(now, record.job.id, "spare replicas make room sooner");
    kept_for_share = JobId{};
  }
  room.grace_until = now;
  room.until = saturating_add(now, 2 * settings.lost_after);
  reserve(preemptions.begin(std::move(room)), true);
  return true;
}

}  // namespace drover::router
