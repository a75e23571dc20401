#include "router/jobs/surplus_replicas.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace drover::router {
namespace {

using Rules = std::set<std::size_t>;

bool names_pool(const Rule& rule, const std::string& pool) {
  const auto leads_there = [&](const Fallback& fallback) { return fallback.to == pool; };
  return std::find(rule.pools.begin(), rule.pools.end(), pool) != rule.pools.end() ||
         std::any_of(rule.fallbacks.begin(), rule.fallbacks.end(), leads_there);
}

/// The rules that name a pool of the group.
Rules rules_of(const Policy& policy, const GroupEntry& group) {
  Rules rules;
  for (const std::uint32_t pool : group.pools) {
    for (std::size_t rule = 0; rule < policy.rules.size(); ++rule) {
      if (names_pool(policy.rules[rule], policy.pools[pool].name)) rules.insert(rule);
    }
  }
  return rules;
}

/// A replica that accepts requests.
struct Serving {
  ReplicaIndex index = 0;
  const ReplicaEntry* entry = nullptr;
  Rules rules;
  double requests = 0, tokens = 0;
  bool spare = false;
};

std::vector<Serving> serving(const FleetState& fleet_state, const Policy& policy,
                             const std::string& model) {
  std::vector<Serving> found;
  for (const ReplicaIndex index : fleet_state.replicas_of(model)) {
    const ReplicaEntry& entry = fleet_state.replicas()[index];
    if (entry.replica.state != ReplicaState::ready || entry.retiring) continue;
    if (fleet_state.hosts()[entry.host].health != Health::ok) continue;
    found.push_back(
        {index, &entry, rules_of(policy, fleet_state.groups()[entry.group]),
         std::max<double>(entry.reserved_requests, entry.replica.queued + entry.replica.running),
         static_cast<double>(std::max(entry.reserved_tokens, entry.replica.kv_used_tokens))});
  }
  return found;
}

/// By the rules alone: all rules that lead to one replica lead to the other and accept its
/// precision.
bool takes_work_of(const Policy& policy, const Serving& other, const Serving& one) {
  return std::all_of(one.rules.begin(), one.rules.end(), [&](std::size_t index) {
    const std::vector<Precision>& taken = policy.rules[index].precisions;
    return other.rules.contains(index) &&
           (taken.empty() ||
            std::find(taken.begin(), taken.end(), other.entry->replica.precision) != taken.end());
  });
}

/// Whether the replicas that are not surplus can take its work, besides their own and that of the
/// surplus ones.
bool others_can_take(const Policy& policy, const Serving& one, const std::vector<Serving>& all) {
  double requests = one.requests, tokens = one.tokens, batch = 0, kv_tokens = 0;
  for (const Serving& other : all) {
    if (other.index == one.index) continue;
    const bool takes = takes_work_of(policy, other, one);
    if (!takes && !other.spare) continue;
    requests += other.requests;
    tokens += other.tokens;
    if (other.spare) continue;
    batch += other.entry->replica.batch_max;
    kv_tokens += static_cast<double>(other.entry->replica.kv_capacity_tokens);
  }
  return batch > 0 && requests <= surplus_fill_max * batch &&
         tokens <= surplus_fill_max * kv_tokens;
}

}  // namespace

void SurplusReplicas::update(Instant now, const FleetState& fleet_state, const Policy& policy,
                             const ReplicaController& replica_controller) {
  std::set<std::string> models;
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (replica_controller.owns(entry.replica.id)) models.insert(entry.replica.model);
  }
  std::map<ReplicaIndex, Instant> before = std::exchange(since_, {});
  for (const std::string& model : models) {
    std::vector<Serving> all = serving(fleet_state, policy, model);
    // Replicas that were surplus stay so if possible, so that the choice is stable.
    std::stable_sort(all.begin(), all.end(), [&](const Serving& a, const Serving& b) {
      return std::pair(a.entry->has_work(), !before.contains(a.index)) <
             std::pair(b.entry->has_work(), !before.contains(b.index));
    });
    for (Serving& one : all) {
      if (!replica_controller.owns(one.entry->replica.id)) continue;
      const bool idle = !one.entry->has_work();
      if (!idle && !others_can_take(policy, one, all)) continue;
      one.spare = true;
      const auto known = before.find(one.index);
      // An idle replica has been surplus at least since its last work.
      since_[one.index] = known != before.end() ? known->second : idle ? one.entry->last_used : now;
    }
  }
}

std::vector<ReplicaIndex> SurplusReplicas::surplus_for(Instant now, Duration span) const {
  std::vector<std::pair<Instant, ReplicaIndex>> found;
  for (const auto& [index, since] : since_) {
    if (now - since >= span) found.emplace_back(since, index);
  }
  std::sort(found.begin(), found.end());
  std::vector<ReplicaIndex> replicas;
  for (const auto& [since, index] : found) replicas.push_back(index);
  return replicas;
}

}  // namespace drover::router
