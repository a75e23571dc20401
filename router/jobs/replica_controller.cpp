#include "router/jobs/replica_controller.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace drover::router {

bool ReplicaController::may_start(Instant now, const Replicas& limits,
                                  const std::string& model) const {
  if (!limits.manage || starting_.size() >= limits.starting_max) return false;
  for (const auto& [id, starting_model] : starting_) {
    if (starting_model == model) return false;
  }
  const auto last = tried_.find(model);
  return last == tried_.end() || now - last->second >= limits.start_after;
}

void ReplicaController::tried(Instant now, const std::string& model) { tried_[model] = now; }

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
  for (auto starting = starting_.begin(); starting != starting_.end();) {
    if (starting->first.host == host) {
      tried(now, starting->second);
      starting = starting_.erase(starting);
    } else {
      ++starting;
    }
  }
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
  std::sort(idle.begin(), idle.end());
  std::vector<ReplicaIndex> replicas;
  for (const auto& [since, index] : idle) replicas.push_back(index);
  return replicas;
}

}  // namespace drover::router
