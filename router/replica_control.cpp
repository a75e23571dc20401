// Replicas started and unloaded by the router, and the publications about the fleet.
#include <utility>

#include "router/router_core.h"
#include "router/snapshot.h"

namespace drover::router {
namespace {

/// Waiting jobs whose reason is published again per summary.
constexpr std::size_t republished_per_summary = 500;

}  // namespace

void RouterCore::manage_replicas(Instant now) {
  fleet_state.note_used(now);
  if (!policy.replicas.manage || ending) return;
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

bool RouterCore::start_replica(Instant now, JobRecord& record) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return false;
  // Devices may be reserved for it where replicas were unloaded.
  const Preemption* kept = preemptions.of(record.job.id);
  if (kept != nullptr) reserve(*kept, false);
  PlacementResult result =
      decide_replica(fleet_state, policy, estimator, ask_for(record, (*model)->spec), now, random);
  if (kept != nullptr) reserve(*kept, true);
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
  start.model_spec = spec_text_for(*peer, replica.model);
  outbox.send_in_order(now, {Channel::control, *peer}, std::move(start));
  result.decision.job = {};
  record_decision(now, nullptr, std::move(result.decision));
  publish_replica(now, replica, place.group);
  end_preemption(now, record.job.id, "");
  return true;
}

bool RouterCore::retire_replica(Instant now, ReplicaIndex index, std::string rule,
                                std::string why) {
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  const auto peer = connections.peer_of(entry.replica.id.host);
  if (!peer || fleet_state.hosts()[entry.host].health != Health::ok) return false;
  Decision decision;
  decision.at = now;
  decision.model = entry.replica.model;
  decision.action = Action::retire_replica;
  decision.target = to_text(entry.replica.id);
  decision.pool = pool_of(entry.group);
  decision.rule = std::move(rule);
  decision.change = std::move(why);
  decision.considered = 1;
  decision.fleet_version = fleet_state.version();
  outbox.send_in_order(now, {Channel::control, *peer}, RetireReplica{entry.replica.id.number});
  fleet_state.replica(index).retiring = true;
  accounting.decided();
  record_decision(now, nullptr, std::move(decision));
  return true;
}

std::string RouterCore::pool_of(GroupIndex group) const {
  const std::vector<std::uint32_t>& pools = fleet_state.groups()[group].pools;
  if (pools.empty() || pools.front() >= policy.pools.size()) return "";
  return policy.pools[pools.front()].name;
}

void RouterCore::publish_replica(Instant now, const Replica& replica, GroupIndex group) {
  outbox.publish(now, ReplicaChanged{replica, pool_of(group)});
}

HostChanged RouterCore::host_changed(HostIndex host) const {
  const HostEntry& entry = fleet_state.hosts()[host];
  const HostCounts counts = host_counts.shown(entry.registration.host);
  HostChanged changed;
  changed.registration = entry.registration;
  changed.health = entry.health;
  changed.since = entry.health_since;
  changed.sample_gaps = counts.sample_gaps;
  changed.samples_thinned = counts.samples_thinned;
  changed.undecodable = counts.undecodable;
  for (std::size_t place = 0; place < entry.groups.size(); ++place) {
    const GroupIndex group = entry.groups[place];
    changed.pools.push_back(pool_of(group));
    changed.prices_usd_per_h.push_back(price_usd_per_h(fleet_state, policy, group));
    const std::vector<std::uint32_t>& pools = fleet_state.groups()[group].pools;
    for (std::size_t i = 1; i < pools.size(); ++i) {
      if (changed.further_pools.size() == further_pools_max) break;
      changed.further_pools.push_back(
          {static_cast<std::uint16_t>(place), policy.pools[pools[i]].name});
    }
  }
  changed.secured_by = connections.key_of(entry.registration.host);
  return changed;
}

void RouterCore::publish_host(Instant now, HostIndex host) {
  if (fleet_state.hosts()[host].forgotten) return;  // subscribers would show it again
  outbox.publish(now, host_changed(host));
}

void RouterCore::publish_host_counts(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    const HostEntry& entry = fleet_state.hosts()[host];
    if (entry.forgotten) continue;
    const std::string& name = entry.registration.host;
    HostCounterTable::Entry& counts = host_counts.count_gaps(name, entry.sample_gaps);
    if (!outbox.is_committed(counts.write)) continue;
    if (std::exchange(counts.shown, counts.noted) != counts.noted) publish_host(now, host);
    if (counts.counted == counts.noted || now < counts.next_note || rejects_writes()) continue;
    counts.noted = counts.counted;
    counts.next_note = saturating_add(now, counters_every_heartbeats * settings.heartbeat_every);
    counts.write = outbox.write(ledger::host_counts(now, name, counts.agent, counts.noted));
  }
}

Summary RouterCore::publish_summary(Instant now) {
  accounting.accrue_cost(now);
  publish_host_counts(now);
  // Jobs of one class wait for the same reason, and only one of them was decided.
  for (const JobRecord* record : queue.take_unpublished(republished_per_summary))
    publish_job(now, *record);
  write_published_totals(now);
  Summary totals = summary(now);
  // A message that still waits for the disk goes first.
  if (!held_totals && !rejects_writes()) held_totals = {outbox.last_write(), totals};
  publish_totals(now);
  return totals;
}

PublishedTotals RouterCore::published_totals_now(Instant now) const {
  PublishedTotals live;
  live.undecodable = dropped.total();
  live.classes = accounting.reports_of(policy.classes);
  live.sample_gaps = fleet_state.sample_gaps();
  return accounting.shown(now, live);
}

void RouterCore::write_published_totals(Instant now) {
  const PublishedTotals shown = published_totals_now(now);
  // While the disk is stalled nothing new is published, so nothing need be written first.
  if (shown == accounting.noted() || rejects_writes()) return;
  accounting.note(shown);
  outbox.write(ledger::shown(now, shown));
}

void RouterCore::publish_totals(Instant now) {
  if (!held_totals || !outbox.is_committed(held_totals->first)) return;
  published_totals = std::move(held_totals->second);
  held_totals.reset();
  // The sums are as of the last summary; power has changed since, but that takes nothing back.
  add_power_and_spend(*published_totals);
  outbox.publish(now, *published_totals);
}

void RouterCore::write_counters(Instant now) {
  if (rejects_writes() && !ending) return;
  accounting.accrue_cost(now);
  const std::vector<SampleBatch> energies = accounting.take_energies(fleet_state);
  const double cost_usd = accounting.fleet_cost_usd();
  if (energies.empty() && cost_usd == cost_written_usd) return;
  for (const SampleBatch& batch : energies) outbox.write(ledger::counters(now, batch));
  outbox.write(ledger::counters(now, accounting.fleet_energy_j(), cost_usd));
  cost_written_usd = cost_usd;
}

void RouterCore::event(Instant now, Severity severity, std::string subject, std::string text) {
  events.emplace_back(now, Event{severity, std::move(subject), std::move(text)});
  outbox.publish(now, events.back().second);
  if (events.size() > snapshot_events_max) events.pop_front();
}

}  // namespace drover::router
