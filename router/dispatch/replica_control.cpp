#include "router/dispatch/replica_control.h"

#include <set>
#include <utility>

namespace drover::router {

void ReplicaControl::manage(Instant now) {
  fleet_state.note_used(now);
  if (!policy.replicas.manage || waiting.closed()) return;
  std::set<std::string> without;  // models without a placement
  for (JobRecord* record : starved_requests(now, policy.replicas, queue)) {
    const std::string& model = record->job.work.model;
    if (!replica_controller.may_start(now, policy.replicas, model)) continue;
    if (start_replica(now, *record)) {
      without.erase(model);
    } else {
      without.insert(model);
    }
  }
  for (const std::string& model : without) replica_controller.tried(now, model);
  for (const ReplicaIndex index :
       idle_replicas(now, policy.replicas.retire_after, fleet_state, replica_controller)) {
    retire_replica(now, index, "unused", "");
  }
  yield_replicas(now);
}

bool ReplicaControl::start_replica(Instant now, JobRecord& record) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return false;
  // Devices may be reserved for it where replicas were unloaded.
  const Preemption* kept = preemptions.of(record.job.id);
  if (kept != nullptr) reserved.set_reserved(*kept, false);
  PlacementResult result = decide_replica(fleet_state, policy, estimator,
                                          dispatcher.ask_for(record, (*model)->spec), now, random);
  if (kept != nullptr) reserved.set_reserved(*kept, true);
  accounting.decided();
  if (result.decision.action != Action::start_replica || !result.place) return false;
  const Allocation& place = *result.place;
  const HostIndex host = place.host;
  const std::string& name = fleet_state.hosts()[host].registration.host;
  const auto peer = connections.peer_of(name);
  if (!peer) return false;

  Replica replica;
  replica.id = {name, fleet_state.next_replica_number(host)};
  replica.model = record.job.work.model;
  replica.precision = place.precision;
  replica.group = fleet_state.groups()[place.group].group.number;
  replica.devices = place.devices;
  replica.state = ReplicaState::loading;
  replica.ready_at = saturating_add(now, from_seconds(place.run_s));
  const ReplicaIndex index = fleet_state.apply(now, host, replica);
  if (index == no_index) return false;
  fleet_state.reserve_replica(now, index);
  replica_controller.started(now, replica.id, replica.model);

  StartReplica start;
  start.number = replica.id.number;
  start.model = replica.model;
  start.precision = place.precision;
  start.devices = place.devices;
  start.model_spec = dispatcher.spec_text_for(*peer, replica.model);
  outbox.send_in_order(now, {Channel::control, *peer}, std::move(start));
  result.decision.job = {};
  dispatcher.record_decision(now, nullptr, std::move(result.decision));
  publisher.publish_replica(now, replica, place.group);
  reserved.end(now, record.job.id, "");
  return true;
}

bool ReplicaControl::retire_replica(Instant now, ReplicaIndex index, std::string rule,
                                    std::string why) {
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  const auto peer = connections.peer_of(entry.replica.id.host);
  if (!peer || fleet_state.hosts()[entry.host].health != Health::ok) return false;
  Decision decision;
  decision.at = now;
  decision.model = entry.replica.model;
  decision.action = Action::retire_replica;
  decision.target = to_text(entry.replica.id);
  decision.pool = pool_of(fleet_state, policy, entry.group);
  decision.rule = std::move(rule);
  decision.change = std::move(why);
  decision.considered = 1;
  decision.fleet_version = fleet_state.version();
  outbox.send_in_order(now, {Channel::control, *peer}, RetireReplica{entry.replica.id.number});
  fleet_state.replica(index).retiring = true;
  accounting.decided();
  dispatcher.record_decision(now, nullptr, std::move(decision));
  return true;
}

}  // namespace drover::router
