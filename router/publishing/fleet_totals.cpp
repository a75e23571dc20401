#include "router/publishing/fleet_totals.h"

#include "router/jobs/pool_reports.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

/// Heartbeats between two ledger rows of energy and cost, which are what a killed router loses.
constexpr int counters_every_heartbeats = 10;
/// Waiting jobs whose reason is published again per summary.
constexpr std::size_t republished_per_summary = 500;

}  // namespace

FleetTotals::FleetTotals(const FleetTotalsDependencies& uses, Instant start)
    : FleetTotalsDependencies(uses),
      next_counters_(saturating_add(start, counters_every_heartbeats * settings.heartbeat_every)) {}

Summary FleetTotals::summary(Instant now) const {
  Summary summary = accounting.summary(now);
  summary.classes = accounting.reports_of(policy.classes);
  accounting.add_recent(now, summary.classes);
  summary.queued = queue.size();
  summary.running = jobs.active_attempts();
  summary.queued_for = queue.waiting_by_reason();
  summary.sample_gaps = published_now(now).sample_gaps;
  summary.estimate_error = estimator.error();
  add_power_and_spend(summary);
  summary.budget_usd_per_h = policy.limits.budget_usd_per_h;
  summary.undecodable = rejected.dropped().total();
  summary.undecodable_by_sender = rejected.dropped().by_sender();
  if (const std::uint64_t earlier = accounting.earlier().undecodable; earlier > 0) {
    summary.undecodable += earlier;
    summary.undecodable_by_sender.push_back({"before this start", earlier});
  }
  return summary;
}

void FleetTotals::add_power_and_spend(Summary& summary) const {
  summary.power_w = fleet_state.power_w();
  summary.power_reserved_w = fleet_state.reserved_w();
  summary.pools = pool_reports(fleet_state, policy, queue.waiting_by_pool());
  summary.spend_usd_per_h = spend_usd_per_h(fleet_state, policy);
}

Summary FleetTotals::publish(Instant now) {
  accounting.accrue_cost(now);
  publish_host_counts(now);
  // Jobs of one class wait for the same reason, and only one of them was decided.
  for (JobRecord* record : queue.take_unpublished(republished_per_summary))
    publisher.publish_job(now, *record);
  write_published(now);
  Summary totals = summary(now);
  // A message that still waits for the disk goes first.
  if (!held_ && !outbox.rejects_writes()) held_ = {outbox.last_write(), totals};
  publish_committed(now);
  return totals;
}

void FleetTotals::publish_committed(Instant now) {
  if (!held_ || !outbox.is_committed(held_->first)) return;
  published_ = std::move(held_->second);
  held_.reset();
  // The sums are as of the last summary; power has changed since, but that takes nothing back.
  add_power_and_spend(*published_);
  outbox.publish(now, *published_);
}

void FleetTotals::publish_host_counts(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    const HostEntry& entry = fleet_state.hosts()[host];
    if (entry.forgotten) continue;
    const std::string& name = entry.registration.host;
    HostCounterTable::Entry& counts = host_counts.count_gaps(name, entry.sample_gaps);
    if (!outbox.is_committed(counts.write)) continue;
    if (std::exchange(counts.shown, counts.noted) != counts.noted)
      publisher.publish_host(now, host);
    if (counts.counted == counts.noted || now < counts.next_note || outbox.rejects_writes())
      continue;
    counts.noted = counts.counted;
    counts.next_note = saturating_add(now, counters_every_heartbeats * settings.heartbeat_every);
    counts.write = outbox.write(ledger::host_counts(now, name, counts.agent, counts.noted));
  }
}

PublishedTotals FleetTotals::published_now(Instant now) const {
  PublishedTotals live;
  live.undecodable = rejected.dropped().total();
  live.classes = accounting.reports_of(policy.classes);
  live.sample_gaps = fleet_state.sample_gaps();
  return accounting.shown(now, live);
}

void FleetTotals::write_published(Instant now) {
  const PublishedTotals shown = published_now(now);
  // While the disk is stalled nothing new is published, so nothing need be written first.
  if (shown == accounting.noted() || outbox.rejects_writes()) return;
  accounting.note(shown);
  outbox.write(ledger::shown(now, shown));
}

void FleetTotals::write_counters(Instant now) {
  if (outbox.rejects_writes() && !run_ended_) return;
  accounting.accrue_cost(now);
  const std::vector<SampleBatch> energies = accounting.take_energies(fleet_state);
  const double cost_usd = accounting.fleet_cost_usd();
  if (energies.empty() && cost_usd == cost_written_usd_) return;
  for (const SampleBatch& batch : energies) outbox.write(ledger::counters(now, batch));
  outbox.write(ledger::counters(now, accounting.fleet_energy_j(), cost_usd));
  cost_written_usd_ = cost_usd;
}

void FleetTotals::handle(Instant now, const Caller& caller, const SummaryRequest&) {
  // Totals wait for the rows before them. While the disk takes none, the last published ones are
  // certain.
  if (outbox.backpressure().delays_replies(outbox.uncommitted()) && published_) {
    return outbox.send(now, caller.peer, *published_);
  }
  write_published(now);
  outbox.send(now, caller.peer, summary(now), outbox.last_write());
}

Summary FleetTotals::summary_for_snapshot(Instant now) const {
  const bool on_disk = outbox.uncommitted() == 0 && published_now(now) == accounting.noted();
  return on_disk || !published_ ? summary(now) : *published_;
}

void FleetTotals::write_due_counters(Instant now) {
  if (now < next_counters_) return;
  write_counters(now);
  next_counters_ = saturating_add(now, counters_every_heartbeats * settings.heartbeat_every);
}

void FleetTotals::end_run(Instant now, const Caller& caller) {
  run_ended_ = true;
  write_counters(now);
  write_published(now);
  outbox.send(now, caller.peer, summary(now), outbox.last_write());
}

}  // namespace drover::router
