// Replicas started and retired by the router, and what is published about the fleet.
#include <utility>

#include "router/snapshot.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// Waiting jobs of which it is said anew, each half of a second, what they wait for.
constexpr std::size_t retold_each_beat = 500;

}  // namespace

void Core::manage_replicas(Instant now) {
  roster.note_used(now);
  if (!policy.replicas.manage || ending) return;
  std::set<std::string> without;  // models of which nothing was found
  for (JobRecord* record : starved_requests(now, policy.replicas, queue)) {
    const std::string& model = record->job.work.model;
    if (!keeper.may_start(now, policy.replicas, model)) continue;
    if (start_replica(now, *record)) {
      without.erase(model);
    } else {
      without.insert(model);
    }
  }
  for (const std::string& model : without) keeper.tried(now, model);
  for (const ReplicaIndex index :
       idle_replicas(now, policy.replicas.retire_after, roster, keeper)) {
    retire_replica(now, index, "unused", "");
  }
  give_way(now);
}

bool Core::start_replica(Instant now, JobRecord& record) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return false;
  // Devices may be kept for it where others have given way.
  const Preemption* kept = preemptions.of(record.job.id);
  if (kept != nullptr) reserve(*kept, false);
  Verdict verdict =
      decide_replica(roster, policy, estimator, ask_for(record, (*model)->spec), now, dice);
  if (kept != nullptr) reserve(*kept, true);
  accounting.decided();
  if (verdict.decision.action != Action::start_replica || !verdict.place) return false;
  const Place& place = *verdict.place;
  const HostIndex host = place.host;
  const std::string& name = roster.hosts()[host].hello.host;
  const auto peer = peers.peer_of(name);
  if (!peer) return false;

  Replica replica;
  replica.id = {name, roster.next_replica_number(host)};
  replica.model = record.job.work.model;
  replica.precision = place.precision;
  replica.group = roster.groups()[place.group].group.number;
  replica.devices = place.devices;
  replica.state = ReplicaState::loading;
  replica.ready_at = saturating_add(now, from_seconds(place.run_s));
  const ReplicaIndex index = roster.apply(now, host, replica);
  if (index == nowhere) return false;
  roster.promise_replica(now, index);
  keeper.started(now, replica.id, replica.model);

  StartReplica start;
  start.number = replica.id.number;
  start.model = replica.model;
  start.precision = place.precision;
  start.devices = place.devices;
  start.model_spec = spec_text_for(*peer, replica.model);
  mail.send_in_order(now, {Channel::control, *peer}, std::move(start));
  verdict.decision.job = {};
  note(now, nullptr, std::move(verdict.decision));
  publish_replica(now, replica, place.group);
  end_preemption(now, record.job.id, "");
  return true;
}

bool Core::retire_replica(Instant now, ReplicaIndex index, std::string rule, std::string why) {
  const ReplicaEntry& entry = roster.replicas()[index];
  const auto peer = peers.peer_of(entry.replica.id.host);
  if (!peer || roster.hosts()[entry.host].health != Health::ok) return false;
  Decision decision;
  decision.at = now;
  decision.model = entry.replica.model;
  decision.action = Action::retire_replica;
  decision.target = to_text(entry.replica.id);
  decision.pool = pool_of(entry.group);
  decision.rule = std::move(rule);
  decision.change = std::move(why);
  decision.considered = 1;
  decision.roster_version = roster.version();
  mail.send_in_order(now, {Channel::control, *peer}, RetireReplica{entry.replica.id.number});
  roster.replica(index).retiring = true;
  accounting.decided();
  note(now, nullptr, std::move(decision));
  return true;
}

std::string Core::pool_of(GroupIndex group) const {
  const std::vector<std::uint32_t>& pools = roster.groups()[group].pools;
  if (pools.empty() || pools.front() >= policy.pools.size()) return "";
  return policy.pools[pools.front()].name;
}

void Core::publish_replica(Instant now, const Replica& replica, GroupIndex group) {
  mail.publish(now, ReplicaChanged{replica, pool_of(group)});
}

HostChanged Core::host_shown(HostIndex host) const {
  const HostEntry& entry = roster.hosts()[host];
  const HostCounts counts = host_counts.shown(entry.hello.host);
  HostChanged changed;
  changed.hello = entry.hello;
  changed.health = entry.health;
  changed.since = entry.health_since;
  changed.sample_gaps = counts.sample_gaps;
  changed.samples_thinned = counts.samples_thinned;
  changed.undecodable = counts.undecodable;
  for (std::size_t place = 0; place < entry.groups.size(); ++place) {
    const GroupIndex group = entry.groups[place];
    changed.pools.push_back(pool_of(group));
    changed.prices_usd_per_h.push_back(price_usd_per_h(roster, policy, group));
    const std::vector<std::uint32_t>& pools = roster.groups()[group].pools;
    for (std::size_t i = 1; i < pools.size(); ++i) {
      if (changed.further_pools.size() == further_pools_max) break;
      changed.further_pools.push_back(
          {static_cast<std::uint16_t>(place), policy.pools[pools[i]].name});
    }
  }
  changed.secured_by = peers.key_of(entry.hello.host);
  return changed;
}

void Core::publish_host(Instant now, HostIndex host) {
  if (roster.hosts()[host].forgotten) return;  // who heard of it would show it again
  mail.publish(now, host_shown(host));
}

void Core::tell_host_counts(Instant now) {
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    const HostEntry& entry = roster.hosts()[host];
    if (entry.forgotten) continue;
    const std::string& name = entry.hello.host;
    HostCountBook::Entry& counts = host_counts.count_gaps(name, entry.sample_gaps);
    if (!mail.is_committed(counts.write)) continue;
    if (std::exchange(counts.shown, counts.noted) != counts.noted) publish_host(now, host);
    if (counts.counted == counts.noted || now < counts.next_note || takes_no_writes()) continue;
    counts.noted = counts.counted;
    counts.next_note = saturating_add(now, counters_every_heartbeats * settings.heartbeat_every);
    counts.write = mail.write(ledger::host_counts(now, name, counts.agent, counts.noted));
  }
}

Summary Core::publish_beat(Instant now) {
  accounting.settle_cost(now);
  tell_host_counts(now);
  // Jobs of one class wait for the same, and only one of them was asked.
  for (const JobRecord* record : queue.take_untold(retold_each_beat)) publish_job(now, *record);
  note_shown(now);
  Summary totals = summary(now);
  // One that still waits for the disk goes first.
  if (!held_totals && !takes_no_writes()) held_totals = {mail.last_write(), totals};
  publish_totals(now);
  return totals;
}

Shown Core::shown_now(Instant now) const {
  Shown live;
  live.undecodable = dropped.total();
  live.classes = accounting.reports_of(policy.classes);
  live.sample_gaps = roster.sample_gaps();
  return accounting.shown(now, live);
}

void Core::note_shown(Instant now) {
  const Shown shown = shown_now(now);
  // Where the disk stands still nothing new is shown, so nothing need be noted first.
  if (shown == accounting.noted() || takes_no_writes()) return;
  accounting.note(shown);
  mail.write(ledger::shown(now, shown));
}

void Core::publish_totals(Instant now) {
  if (!held_totals || !mail.is_committed(held_totals->first)) return;
  told_totals = std::move(held_totals->second);
  held_totals.reset();
  // The sums are as of the beat; what is drawn has changed since, and takes nothing back.
  note_draw(*told_totals);
  mail.publish(now, *told_totals);
}

void Core::write_counters(Instant now) {
  if (takes_no_writes() && !ending) return;
  accounting.settle_cost(now);
  const std::vector<SampleBatch> energies = accounting.take_energies(roster);
  const double cost_usd = accounting.fleet_cost_usd();
  if (energies.empty() && cost_usd == cost_written_usd) return;
  for (const SampleBatch& batch : energies) mail.write(ledger::counters(now, batch));
  mail.write(ledger::counters(now, accounting.fleet_energy_j(), cost_usd));
  cost_written_usd = cost_usd;
}

void Core::event(Instant now, Severity severity, std::string subject, std::string text) {
  events.emplace_back(now, Event{severity, std::move(subject), std::move(text)});
  mail.publish(now, events.back().second);
  if (events.size() > snapshot_events_max) events.pop_front();
}

}  // namespace drover::router
