// Work of higher priority takes the place of other work.
//
// A job that would wait for capacity, and whose rule may preempt, chooses who must go
// (preemption.h). They are told of nothing yet: they may finish, or write a checkpoint, and are
// called off after that or when the grace is over. From the first moment the devices are kept for
// the job that waits: nobody else is given one of them when it comes free. The reservation ends
// when that job is placed, wherever that is, when it ends, when the host is lost, or when its time
// is over; who was not called off until then stays.
#include <algorithm>
#include <array>
#include <utility>

#include "router/decision/criteria.h"
#include "router/jobs/preemption.h"
#include "router/roster/roster_trial.h"
#include "router/state.h"

namespace drover::router {
namespace {

constexpr std::size_t jobs_named_max = 4;

std::string short_names(const std::vector<JobId>& jobs) {
  std::string text;
  for (std::size_t at = 0; at < std::min(jobs.size(), jobs_named_max); ++at) {
    text += fmt::format("{}{}", at > 0 ? ", " : "", to_short_text(jobs[at]));
  }
  if (jobs.size() > jobs_named_max)
    text += fmt::format(" and {} more", jobs.size() - jobs_named_max);
  return text;
}

/// Where only capacity stands against the job, in the order in which it is to be looked there:
/// single groups; then, for a gang over hosts, the groups of each rack, then all of a kind.
using Rounds = std::vector<std::vector<GroupSet>>;

/// Of this pool, as far as its rows say. A pool may have been asked several times.
Rounds rounds_of(const Roster& roster, const Pool& pool, std::uint32_t number,
                 const std::vector<RecordRow>& rows) {
  const std::uint32_t capacity = filters_of(Reason::capacity);
  std::set<GroupIndex> single;
  std::set<GroupIndex> part;  // of a gang over hosts: too small for it, taken, and nothing else
  std::set<const devices::DeviceSpec*> over_hosts;
  for (const RecordRow& row : rows) {
    if (row.pool != number || row.is_replica) continue;
    const devices::DeviceSpec* spec = roster.groups()[row.place].spec;
    // Equal slices of several groups at once are not looked for.
    const bool sliced = !pool.slices.empty() || !spec->slice_sizes.empty();
    if (row.hosts == 1 && row.failed == capacity) single.insert(row.place);
    if (row.hosts == 1 && !sliced && (row.failed & state_filters()) == 0) part.insert(row.place);
    if (row.hosts > 1 && !sliced && row.failed == capacity) over_hosts.insert(spec);
  }
  Rounds rounds(3);
  for (const GroupIndex group : single) rounds[0].push_back({group});
  std::map<std::pair<const devices::DeviceSpec*, std::string_view>, std::size_t> racks;
  std::map<const devices::DeviceSpec*, std::size_t> kinds;
  for (const GroupIndex index : part) {
    const GroupEntry& group = roster.groups()[index];
    if (!over_hosts.contains(group.spec)) continue;
    const std::string_view rack = roster.hosts()[group.host].hello.rack;
    const auto add = [&](auto& places, const auto& key, std::vector<GroupSet>& round) {
      const auto [place, fresh] = places.try_emplace(key, round.size());
      if (fresh) round.emplace_back();
      round[place->second].push_back(index);
    };
    add(racks, std::pair(group.spec, rack), rounds[1]);
    add(kinds, group.spec, rounds[2]);
  }
  return rounds;
}

/// Of the first of the rule's pools that has any.
Rounds rounds_at_capacity(const Policy& policy, const Rule& rule, const Roster& roster,
                          const std::vector<RecordRow>& rows) {
  for (const std::string& name : rule.pools) {
    const auto number = policy.pool_index(name);
    if (!number) continue;
    Rounds rounds = rounds_of(roster, policy.pools[*number], *number, rows);
    const bool any = std::any_of(rounds.begin(), rounds.end(),
                                 [](const auto& places) { return !places.empty(); });
    if (any) return rounds;
  }
  return {};
}

}  // namespace

Verdict Core::decide_reserved(Instant now, const JobRecord& record, const Ask& ask, Dice& with) {
  RosterTrial own(roster);
  if (const Preemption* kept = preemptions.of(record.job.id)) {
    for (const DeviceIndex device : kept->devices) own.clear(device, condition_reserved);
  }
  return decide(roster, policy, estimator, ask, now, with);
}

void Core::reserve(const Preemption& preemption, bool reserved) {
  for (const DeviceIndex device : preemption.devices) roster.set_reserved(device, reserved);
}

std::vector<Holder> Core::holders_for(Instant now, const JobRecord& record, const Preempt& preempt,
                                      const std::vector<GroupSet>& places) const {
  std::set<HostIndex> hosts;
  for (const GroupSet& groups : places) {
    for (const GroupIndex group : groups) hosts.insert(roster.groups()[group].host);
  }
  std::map<std::uint64_t, const JobRecord*> others;  // a gang over hosts once
  for (const HostIndex host : hosts) {
    for (const JobRecord* other : jobs.on_host(roster.hosts()[host].hello.host)) {
      others[other->number] = other;
    }
  }
  std::vector<Holder> holders;
  for (const auto& [number, other] : others) {
    const bool may =
        may_be_preempted(*other, preempt, record.job.priority, policy.retry.attempts_max);
    if (!may || preemptions.against(*other) != nullptr) continue;
    holders.push_back({other->job.id, number, other->job.priority, devices_of(*other),
                       lost_device_s(*other, now), other->since});
  }
  return holders;
}

std::vector<DeviceIndex> Core::devices_of(const JobRecord& record) const {
  std::vector<DeviceIndex> devices;
  for (const Member& member : record.lease.members) {
    const auto host = roster.find_host(member.host);
    if (!host) continue;
    const auto& all = roster.hosts()[*host].devices;
    for (const std::uint16_t number : member.devices) {
      if (number < all.size()) devices.push_back(all[number]);
    }
  }
  return devices;
}

bool Core::preempt_for(Instant now, JobRecord& record, Verdict& verdict) {
  Decision& decision = verdict.decision;
  const bool wants = record.job.work.kind == WorkKind::train && decision.action == Action::queue &&
                     decision.fallback_reason == Reason::capacity && !verdict.impossible;
  if (!wants || preemptions.of(record.job.id) != nullptr) return false;
  const auto rule = std::find_if(policy.rules.begin(), policy.rules.end(),
                                 [&](const Rule& each) { return each.name == decision.rule; });
  if (rule == policy.rules.end() || !rule->preempt) return false;
  for (const auto& places : rounds_at_capacity(policy, *rule, roster, estimator.scratch().record)) {
    const std::vector<Holder> holders = holders_for(now, record, *rule->preempt, places);
    const auto eviction =
        cheapest_eviction(roster, places, std::max<int>(1, record.job.work.devices), holders);
    if (!eviction) continue;
    begin_preemption(now, record, *eviction, rule->preempt->grace, decision);
    return true;
  }
  return false;
}

void Core::begin_preemption(Instant now, const JobRecord& record, const Eviction& eviction,
                            Duration grace, Decision& decision) {
  Preemption preemption;
  preemption.job = record.job.id;
  std::string target;
  for (const Eviction::Part& part : eviction.parts) {
    const HostIndex index = roster.groups()[part.group].host;
    const HostEntry& host = roster.hosts()[index];
    preemption.hosts.push_back(index);
    for (const std::uint16_t number : part.devices) {
      preemption.devices.push_back(host.devices[number]);
    }
    target += target.empty() ? "" : " ";
    target += target_text(host.hello.host, part.devices);
  }
  preemption.grace_until = saturating_add(now, grace);
  // Long enough for a Cancel to be said again, and for a host to be found lost.
  preemption.until = saturating_add(preemption.grace_until, 2 * settings.lost_after);
  decision.change = fmt::format("preempts {} on {} within {:.0f} s", short_names(eviction.jobs),
                                target, to_seconds(grace));
  for (const JobId& job : eviction.jobs) {
    JobRecord* leaving = jobs.find(job);
    DROVER_REQUIRE(leaving != nullptr);
    preemption.leaving[job] = {leaving->attempt, leaving->steps_saved};
    leaving->detail = fmt::format("makes room for {} of priority {}", to_short_text(record.job.id),
                                  record.job.priority);
    publish_job(now, *leaving);
  }
  event(now, Severity::warning, to_short_text(record.job.id), decision.change);
  const Preemption& standing = preemptions.begin(std::move(preemption));
  reserve(standing, true);
  next_call_off = std::min(next_call_off, standing.grace_until);
}

void Core::end_preemption(Instant now, const JobId& job, std::string_view why) {
  const auto ended = preemptions.end(job);
  if (!ended) return;
  reserve(*ended, false);
  // Devices may stand in two reservations where the first one's host came back in between.
  for (const auto& [other, standing] : preemptions.all()) reserve(standing, true);
  for (const auto& [leaving, mark] : ended->leaving) {
    JobRecord* record = jobs.find(leaving);
    const bool stays = record != nullptr && record->holds_attempt() &&
                       record->attempt == mark.attempt && record->cancelled.empty();
    if (!stays) continue;
    record->detail.clear();
    publish_job(now, *record);
  }
  if (!why.empty()) {
    event(now, Severity::info, to_short_text(job),
          fmt::format("no devices are kept for it any more: {}", why));
  }
  queue.wake_all();
}

void Core::settle_preemptions(Instant now) {
  std::vector<std::pair<JobId, std::string_view>> over;
  for (const auto& [job, preemption] : preemptions.all()) {
    const bool lost =
        std::any_of(preemption.hosts.begin(), preemption.hosts.end(),
                    [&](HostIndex host) { return is_gone(roster.hosts()[host].health); });
    if (lost) {
      over.emplace_back(job, "the host is lost");
    } else if (preemption.until <= now) {
      over.emplace_back(job, "its time is over");
    }
  }
  for (const auto& [job, why] : over) end_preemption(now, job, why);
}

}  // namespace drover::router
