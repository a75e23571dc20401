#include "router/jobs/replica_controller.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fleet/base/search.h"

namespace drover::router {
namespace {

std::vector<ReplicaIndex> longest_first(std::vector<std::pair<Instant, ReplicaIndex>> since) {
  std::ranges::sort(since);
  std::vector<ReplicaIndex> replicas;
  for (const auto& [began, index] : since) replicas.push_back(index);
  return replicas;
}

}  // namespace

bool ReplicaController::may_start(Instant now, const Replicas& limits,
                                  const std::string& model) const {
  if (!limits.manage || starting_.size() >= limits.starting_max) return false;
  for (const auto& [id, starting_model] : starting_) {
    if (starting_model == model) return false;
  }
  const auto last = tried_.find(model);
  return last == tried_.end() || now - last->second >= limits.start_after;
}

void ReplicaController::started(Instant now, const ReplicaId& id, const std::string& model) {
  starting_[id] = model;
  own_.insert(id);
  tried(now, model);
}

void ReplicaController::reported(Instant now, const Replica& replica) {
  const auto& [id, state] = std::tie(replica.id, replica.state);
  if (replica.started_by_router) own_.insert(id);
  if (state == ReplicaState::loading || state == ReplicaState::compiling) return;
  const auto starting = starting_.find(id);
  if (starting != starting_.end()) {
    // A new replica changes the queue; the model may start another only after that takes effect.
    tried(now, starting->second);
    starting_.erase(starting);
  }
  if (state == ReplicaState::gone) own_.erase(id);
}

void ReplicaController::host_lost(Instant now, const std::string& host) {
  std::erase_if(starting_, [&](const auto& starting) {
    const bool lost = starting.first.host == host;
    if (lost) tried(now, starting.second);
    return lost;
  });
}

std::vector<JobRecord*> starved_requests(Instant now, const Replicas& limits,
                                         const JobQueue& queue) {
  std::map<std::uint64_t, JobRecord*> in_order;
  for (const auto& [signature, queue_class] : queue.classes()) {
    if (queue_class.kind == WorkKind::train || queue_class.jobs.empty()) continue;
    const std::optional<Reason> reason = queue_class.result.reason;
    // Not decided yet, or waiting for the retry budget: there may be enough replicas.
    if (!reason || *reason == Reason::budget) continue;
    const auto add = [&](JobRecord* record) {
      // Until its back-off ends it only avoids the place where it failed.
      const Instant began = std::max(record->wait_began(), record->retry_at);
      if (now < began || now - began < limits.start_after) return;
      in_order.emplace(record->number, record);
    };
    add(queue_class.jobs.begin()->second);
    // If the oldest needs more devices than are free, a smaller one may find enough.
    if (!queue_class.sorted) continue;
    const auto tokens = static_cast<std::size_t>(Demand::tokens);
    add(queue_class.jobs.at(queue_class.easiest[tokens].begin()->second));
  }
  std::vector<JobRecord*> starved;
  for (const auto& [number, record] : in_order) starved.push_back(record);
  return starved;
}

std::vector<ReplicaIndex> idle_replicas(Instant now, Duration idle_for,
                                        const FleetState& fleet_state,
                                        const ReplicaController& replica_controller) {
  std::vector<std::pair<Instant, ReplicaIndex>> idle;
  for (ReplicaIndex index = 0; index < fleet_state.replicas().size(); ++index) {
    const ReplicaEntry& entry = fleet_state.replicas()[index];
    const bool unused =
        entry.replica.state == ReplicaState::ready && !entry.retiring && !entry.has_work();
    if (!unused || !replica_controller.owns(entry.replica.id)) continue;
    if (now - entry.last_used >= idle_for) idle.emplace_back(entry.last_used, index);
  }
  return longest_first(std::move(idle));
}

// Surplus replicas.

namespace {

using Rules = std::set<std::size_t>;

bool names_pool(const Rule& rule, const std::string& pool) {
  const auto leads_there = [&](const Fallback& fallback) { return fallback.to == pool; };
  return contains(rule.pools, pool) || std::ranges::any_of(rule.fallbacks, leads_there);
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
  return std::ranges::all_of(one.rules, [&](std::size_t index) {
    const std::vector<Precision>& taken = policy.rules[index].precisions;
    return other.rules.contains(index) &&
           (taken.empty() || contains(taken, other.entry->replica.precision));
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
    std::ranges::stable_sort(all, [&](const Serving& a, const Serving& b) {
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
  return longest_first(std::move(found));
}

}  // namespace drover::router
