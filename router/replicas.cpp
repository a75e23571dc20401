#include "router/replicas.h"

#include <tuple>

namespace drover::router {

bool ReplicaKeeper::may_start(Instant now, const Replicas& limits, const std::string& model) const {
  if (!limits.manage || starting_.size() >= limits.starting_max) return false;
  for (const auto& [id, starting_model] : starting_) {
    if (starting_model == model) return false;
  }
  const auto last = tried_.find(model);
  return last == tried_.end() || now - last->second >= limits.start_after;
}

void ReplicaKeeper::tried(Instant now, const std::string& model) { tried_[model] = now; }

void ReplicaKeeper::started(Instant now, const ReplicaId& id, const std::string& model) {
  starting_[id] = model;
  own_.insert(id);
  tried(now, model);
}

void ReplicaKeeper::reported(Instant now, const Replica& replica) {
  const auto& [id, state] = std::tie(replica.id, replica.state);
  if (replica.asked_for) own_.insert(id);
  if (state == ReplicaState::loading || state == ReplicaState::compiling) return;
  const auto starting = starting_.find(id);
  if (starting != starting_.end()) {
    // A new replica changes the queue; the model may ask for another only after that has shown.
    tried(now, starting->second);
    starting_.erase(starting);
  }
  if (state == ReplicaState::gone) own_.erase(id);
}

void ReplicaKeeper::host_lost(Instant now, const std::string& host) {
  for (auto starting = starting_.begin(); starting != starting_.end();) {
    if (starting->first.host == host) {
      tried(now, starting->second);
      starting = starting_.erase(starting);
    } else {
      ++starting;
    }
  }
}

std::vector<JobRecord*> starved_models(Instant now, const Replicas& limits, const JobQueue& queue) {
  std::map<std::string_view, JobRecord*> oldest_of;
  for (const auto& [signature, queue_class] : queue.classes()) {
    if (queue_class.kind == WorkKind::train || queue_class.jobs.empty()) continue;
    if (!queue_class.reason) continue;  // not judged yet
    JobRecord* first = queue_class.jobs.begin()->second;
    if (now - first->submitted < limits.start_after) continue;
    JobRecord*& oldest = oldest_of[queue_class.model];
    if (oldest == nullptr || first->number < oldest->number) oldest = first;
  }
  std::map<std::uint64_t, JobRecord*> in_order;
  for (const auto& [model, record] : oldest_of) in_order.emplace(record->number, record);
  std::vector<JobRecord*> starved;
  for (const auto& [number, record] : in_order) starved.push_back(record);
  return starved;
}

std::vector<ReplicaIndex> unused_replicas(Instant now, const Replicas& limits, const Roster& roster,
                                          const ReplicaKeeper& keeper) {
  std::vector<ReplicaIndex> unused;
  if (!limits.manage) return unused;
  for (ReplicaIndex index = 0; index < roster.replicas().size(); ++index) {
    const ReplicaEntry& entry = roster.replicas()[index];
    const bool idle = entry.replica.state == ReplicaState::ready && !entry.retiring &&
                      entry.promised_requests == 0 && entry.replica.queued == 0 &&
                      entry.replica.running == 0;
    if (!idle || !keeper.owns(entry.replica.id)) continue;
    if (now - entry.last_used >= limits.retire_after) unused.push_back(index);
  }
  return unused;
}

}  // namespace drover::router
