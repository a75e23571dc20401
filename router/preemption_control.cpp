// Preemption: work of higher priority replaces other work.
//
// A job that would wait for capacity, and whose rule has `preempt`, chooses its victims
// (jobs/victim_selection.h). They receive nothing at first: they may finish or write a checkpoint,
// and are cancelled after that or when the grace is over. From the start their devices are
// reserved for the waiting job: no other job gets one that becomes free. The reservation ends when
// that job is placed anywhere, when it ends, when the host is lost, or when its time is over;
// victims not cancelled by then stay.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "router/decision/criteria.h"
#include "router/fleet_state/what_if_fleet.h"
#include "router/jobs/victim_selection.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

constexpr std::size_t jobs_named_max = 4;

std::string short_names(const std::vector<JobId>& jobs) {
  std::vector<std::string> names;
  for (const JobId& job : jobs) names.push_back(to_short_text(job));
  return shortened_list(names, jobs_named_max);
}

/// Placements where only capacity rejects the job, in order of evaluation: single groups; then,
/// for a multi-host gang, the groups of each rack, then all of a kind.
using Rounds = std::vector<std::vector<GroupSet>>;

/// The rounds of this pool, from its rows. A pool may have been evaluated several times.
Rounds rounds_of(const FleetState& fleet_state, const Pool& pool, std::uint32_t number,
                 const std::vector<RecordRow>& rows) {
  const std::uint32_t capacity = filters_of(Reason::capacity);
  std::set<GroupIndex> single;
  std::set<GroupIndex> part;  // for a multi-host gang: too small or taken, nothing else
  std::set<const devices::DeviceSpec*> over_hosts;
  for (const RecordRow& row : rows) {
    if (row.pool != number || row.is_replica) continue;
    const devices::DeviceSpec* spec = fleet_state.groups()[row.place].spec;
    // Equal slices of several groups are not searched.
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
    const GroupEntry& group = fleet_state.groups()[index];
    if (!over_hosts.contains(group.spec)) continue;
    const std::string_view rack = fleet_state.hosts()[group.host].registration.rack;
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

/// The rounds of the first of the rule's pools that has any.
Rounds rounds_at_capacity(const Policy& policy, const Rule& rule, const FleetState& fleet_state,
                          const std::vector<RecordRow>& rows) {
  for (const std::string& name : rule.pools) {
    const auto number = policy.pool_index(name);
    if (!number) continue;
    Rounds rounds = rounds_of(fleet_state, policy.pools[*number], *number, rows);
    const bool any = std::any_of(rounds.begin(), rounds.end(),
                                 [](const auto& places) { return !places.empty(); });
    if (any) return rounds;
  }
  return {};
}

}  // namespace

PlacementResult RouterCore::decide_with_reservation(Instant now, const JobRecord& record,
                                                    const PlacementRequest& request,
                                                    RandomStream& with) {
  WhatIfFleet own(fleet_state);
  if (const Preemption* kept = preemptions.of(record.job.id)) {
    for (const DeviceIndex device : kept->devices) own.clear(device, condition_reserved);
  }
  return decide(fleet_state, policy, estimator, request, now, with);
}

void RouterCore::reserve(const Preemption& preemption, bool reserved) {
  for (const DeviceIndex device : preemption.devices) fleet_state.set_reserved(device, reserved);
}

std::vector<PreemptionVictim> RouterCore::preemption_victims(
    Instant now, const JobRecord& record, const Preempt& preempt,
    const std::vector<GroupSet>& places) const {
  std::set<HostIndex> hosts;
  for (const GroupSet& groups : places) {
    for (const GroupIndex group : groups) hosts.insert(fleet_state.groups()[group].host);
  }
  std::map<std::uint64_t, const JobRecord*> others;  // a multi-host gang counts once
  for (const HostIndex host : hosts) {
    for (const JobRecord* other : jobs.on_host(fleet_state.hosts()[host].registration.host)) {
      others[other->number] = other;
    }
  }
  std::vector<PreemptionVictim> victims;
  for (const auto& [number, other] : others) {
    const bool may =
        may_be_preempted(*other, preempt, record.job.priority, policy.retry.attempts_max);
    if (!may || preemptions.against(*other) != nullptr) continue;
    victims.push_back({other->job.id, number, other->job.priority, devices_of(*other),
                       lost_device_s(*other, now), other->since});
  }
  return victims;
}

std::vector<DeviceIndex> RouterCore::devices_of(const JobRecord& record) const {
  std::vector<DeviceIndex> devices;
  for (const Member& member : record.lease.members) {
    const auto host = fleet_state.find_host(member.host);
    if (!host) continue;
    const auto& all = fleet_state.hosts()[*host].devices;
    for (const std::uint16_t number : member.devices) {
      if (number < all.size()) devices.push_back(all[number]);
    }
  }
  return devices;
}

bool RouterCore::preempt_for(Instant now, JobRecord& record, PlacementResult& result) {
  Decision& decision = result.decision;
  const bool wants = record.job.work.kind == WorkKind::train && decision.action == Action::queue &&
                     decision.fallback_reason == Reason::capacity && !result.impossible;
  if (!wants || preemptions.of(record.job.id) != nullptr) return false;
  const auto rule = std::find_if(policy.rules.begin(), policy.rules.end(),
                                 [&](const Rule& each) { return each.name == decision.rule; });
  if (rule == policy.rules.end() || !rule->preempt) return false;
  for (const auto& places :
       rounds_at_capacity(policy, *rule, fleet_state, estimator.scratch().record)) {
    const std::vector<PreemptionVictim> victims =
        preemption_victims(now, record, *rule->preempt, places);
    const auto plan = cheapest_preemption(fleet_state, places,
                                          std::max<int>(1, record.job.work.devices), victims);
    if (!plan) continue;
    begin_preemption(now, record, *plan, rule->preempt->grace, decision);
    return true;
  }
  return false;
}

void RouterCore::begin_preemption(Instant now, const JobRecord& record, const PreemptionPlan& plan,
                                  Duration grace, Decision& decision) {
  Preemption preemption;
  preemption.job = record.job.id;
  std::string target;
  for (const PreemptionPlan::Part& part : plan.parts) {
    const HostIndex index = fleet_state.groups()[part.group].host;
    const HostEntry& host = fleet_state.hosts()[index];
    preemption.hosts.push_back(index);
    for (const std::uint16_t number : part.devices) {
      preemption.devices.push_back(host.devices[number]);
    }
    target += target.empty() ? "" : " ";
    target += target_text(host.registration.host, part.devices);
  }
  preemption.grace_until = saturating_add(now, grace);
  // Long enough to repeat a Cancel, and to find a host lost.
  preemption.until = saturating_add(preemption.grace_until, 2 * settings.lost_after);
  decision.change = fmt::format("preempts {} on {} within {:.0f} s", short_names(plan.jobs), target,
                                to_seconds(grace));
  for (const JobId& job : plan.jobs) {
    JobRecord* leaving = jobs.find(job);
    DROVER_REQUIRE(leaving != nullptr);
    preemption.leaving[job] = {leaving->attempt, leaving->steps_saved};
    leaving->detail = fmt::format("being preempted for {} of priority {}",
                                  to_short_text(record.job.id), record.job.priority);
    publisher.publish_job(now, *leaving);
  }
  publisher.event(now, Severity::warning, to_short_text(record.job.id), decision.change);
  const Preemption& reservation = preemptions.begin(std::move(preemption));
  reserve(reservation, true);
  next_cancel = std::min(next_cancel, reservation.grace_until);
}

void RouterCore::end_preemption(Instant now, const JobId& job, std::string_view why) {
  const auto ended = preemptions.end(job);
  if (!ended) return;
  reserve(*ended, false);
  // A device may be in two reservations if the first one's host returned in between.
  for (const auto& [other, reservation] : preemptions.all()) reserve(reservation, true);
  for (const auto& [leaving, mark] : ended->leaving) {
    JobRecord* record = jobs.find(leaving);
    const bool stays = record != nullptr && record->holds_attempt() &&
                       record->attempt == mark.attempt && record->cancelled.empty();
    if (!stays) continue;
    record->detail.clear();
    publisher.publish_job(now, *record);
  }
  if (!why.empty()) {
    publisher.event(now, Severity::info, to_short_text(job),
                    fmt::format("its devices are no longer reserved: {}", why));
  }
  queue.wake_all();
}

void RouterCore::expire_preemptions(Instant now) {
  std::vector<std::pair<JobId, std::string_view>> over;
  for (const auto& [job, preemption] : preemptions.all()) {
    const bool lost =
        std::any_of(preemption.hosts.begin(), preemption.hosts.end(),
                    [&](HostIndex host) { return is_gone(fleet_state.hosts()[host].health); });
    if (lost) {
      over.emplace_back(job, "the host is lost");
    } else if (preemption.until <= now) {
      over.emplace_back(job, "the reservation has expired");
    }
  }
  for (const auto& [job, why] : over) end_preemption(now, job, why);
}

}  // namespace drover::router
