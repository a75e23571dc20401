// Preemption: work of higher priority replaces other work.
#include <algorithm>
#include <set>
#include <utility>

#include "fleet/base/text.h"
#include "router/decision/criteria.h"
#include "router/dispatch/dispatcher.h"

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
    const bool any =
        std::ranges::any_of(rounds, [](const auto& places) { return !places.empty(); });
    if (any) return rounds;
  }
  return {};
}

}  // namespace

std::vector<PreemptionVictim> Dispatcher::preemption_victims(
    Instant now, const JobRecord& record, const Preempt& preempt,
    const std::vector<GroupSet>& places) const {
  std::set<HostIndex> hosts;
  for (const GroupSet& groups : places) {
    for (const GroupIndex group : groups) hosts.insert(fleet_state.groups()[group].host);
  }
  std::map<std::uint64_t, const JobRecord*> others;  // a multi-host gang counts once
  for (const HostIndex host : hosts) {
    for (const JobRecord* other : jobs.on_host(fleet_state.host_name(host))) {
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

std::vector<DeviceIndex> Dispatcher::devices_of(const JobRecord& record) const {
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

bool Dispatcher::preempt_for(Instant now, JobRecord& record, PlacementResult& result) {
  Decision& decision = result.decision;
  const bool wants = record.job.work.kind == WorkKind::train && decision.action == Action::queue &&
                     decision.fallback_reason == Reason::capacity && !result.impossible;
  if (!wants || preemptions.of(record.job.id) != nullptr) return false;
  const Rule* rule = policy.rule_named(decision.rule);
  if (rule == nullptr || !rule->preempt) return false;
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

void Dispatcher::begin_preemption(Instant now, const JobRecord& record, const PreemptionPlan& plan,
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
    add_part(target, " ", target_text(host.registration.host, part.devices));
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
  attempts.check_cancels_at(reserved.begin(std::move(preemption)).grace_until);
}

}  // namespace drover::router
