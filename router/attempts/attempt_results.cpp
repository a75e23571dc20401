#include "router/attempts/attempts.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "fleet/base/search.h"
#include "fleet/base/units.h"
#include "router/jobs/checkpoints.h"
#include "router/jobs/plausibility_bounds.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

/// A result of another incarnation of the host than the attempt was assigned to is late, whatever
/// its attempt number; one without an incarnation is checked by its number alone.
bool of_this_incarnation(const JobRecord& record, const std::string& host,
                         const Incarnation& incarnation) {
  const Incarnation nobody;
  const Incarnation& known = record.lease.member(host)->incarnation;
  return incarnation == nobody || known == nobody || incarnation == known;
}

bool sane(const Usage& usage) {
  return usage.device_s >= 0 && usage.energy_j >= 0 && usage.cost_usd >= 0;
}

}  // namespace

template <typename End>
End Attempts::checked(Instant now, const JobRecord& record, const std::string& host, End end) {
  const Duration elapsed = now - record.lease.begun + 2 * settings.heartbeat_every;
  const PlausibleUsage most = bounds_of(fleet_state, *record.lease.member(host), elapsed);
  const Usage said = end.usage;
  bool less = clamp_to(end.usage, most);
  if constexpr (std::is_same_v<End, Finished>)
    less = clamp_to(end.outcome, most, record.job) || less;
  if (less) {
    rejected.count_implausible(
        now, host,
        fmt::format("the result of job {} ({:.3g} device-seconds, {:.3g} J, {:.3g} USD, clamped)",
                    to_short_text(record.job.id), said.device_s, said.energy_j, said.cost_usd));
  }
  end.usage = priced_usage(record, host, end.usage);
  return end;
}

void Attempts::member_accepted(Instant now, JobRecord& record, Member& member) {
  member.accepted = true;
  if (!record.lease.over_hosts()) mark_running(now, record);
}

void Attempts::handle(Instant now, const Caller& caller, const MemberStepTime& step_time) {
  JobRecord* record = current(caller.entry.host, step_time.job, step_time.attempt);
  if (record == nullptr || !record->lease.over_hosts()) return;
  Lease& lease = record->lease;
  MemberStepTime bounded = step_time;
  const bool less = clamp_estimate(bounded.compute_s);
  if (clamp_estimate(bounded.exchange_s) || less) {
    rejected.count_implausible(
        now, caller.entry.host,
        fmt::format("the step time of job {} (compute {:.3g} s, exchange {:.3g} s, clamped)",
                    to_short_text(record->job.id), step_time.compute_s, step_time.exchange_s));
  }
  lease.member(caller.entry.host)->step_time = bounded;
  const auto step_s = lease.gang_step_s();
  if (!step_s || !lease.accepted_by_all() || lease.failure) return;
  const bool all = *step_s != lease.step_s || record->state != JobState::running;
  const Pause before = pause_of(*record);
  const bool ran = record->state == JobState::running;
  lease.step_s = *step_s;
  for (const Member& member : lease.members) {
    // A member that was away may have missed the last one.
    if (!all && member.host != caller.entry.host) continue;
    send_to_member(now, member, GangStepTime{record->job.id, record->attempt, *step_s});
  }
  mark_running(now, *record);
  if (ran && pause_of(*record) != before) publisher.publish_job(now, *record);
}

void Attempts::handle(Instant now, const Caller& caller, const Accepted& accepted) {
  if (JobRecord* record = current_or_cancel(now, caller, accepted.job, accepted.attempt))
    member_accepted(now, *record, *record->lease.member(caller.entry.host));
}

void Attempts::mark_running(Instant now, JobRecord& record) {
  if (record.state == JobState::running) return;
  record.state = JobState::running;
  record.since = now;
  outbox.write(ledger::running(now, record));
  publisher.publish_job(now, record);
}

void Attempts::handle(Instant now, const Caller& caller, const Progress& progress) {
  JobRecord* record = current_or_cancel(now, caller, progress.job, progress.attempt);
  if (record == nullptr) return;
  // All members are at the same step: the first reports for them.
  if (record->lease.members.front().host != caller.entry.host) return;
  if (!std::isnan(progress.share)) record->progress = std::clamp(progress.share, 0.0, 1.0);
  record->steps_saved = estimated_checkpoint(*record, progress.steps_saved);
  if (preemptions.against(*record) != nullptr) check_cancels_at(now);
  double remaining_s = progress.remaining_s;
  if (clamp_estimate(remaining_s)) {
    rejected.count_implausible(now, caller.entry.host,
                               fmt::format("the remaining time of job {} ({:.3g} s, clamped)",
                                           to_short_text(record->job.id), progress.remaining_s));
  }
  record->remaining_s = remaining_s;
  update_busy_until(now, *record);
  publisher.publish_job(now, *record);
}

void Attempts::update_busy_until(Instant now, const JobRecord& record) {
  const Instant until = saturating_add(now, from_seconds(record.remaining_s));
  for (const Member& member : record.lease.members) {
    const auto host = fleet_state.find_host(member.host);
    if (host && !member.used)
      fleet_state.set_busy_until(record.job.id, *host, member.devices, until);
  }
}

void Attempts::handle(Instant now, const Caller& caller, const Refused& refusal) {
  JobRecord* record = current(caller.entry.host, refusal.job, refusal.attempt);
  if (record == nullptr) return;
  Failed failed = failed_attempt(*record, refusal.detail);
  failed.incarnation = caller.entry.incarnation;
  failed.reason = refusal.reason;
  outliers.record_failure(now, *record, caller.entry.host, failed.reason);
  end_member(now, *record, caller.entry.host, std::move(failed));
}

void Attempts::handle(Instant now, const Caller& caller, const Finished& finished) {
  take_end(now, caller, finished, true);
}

void Attempts::handle(Instant now, const Caller& caller, const Failed& failed) {
  // A Failed that only confirms a Cancel is not a late result.
  const bool obeyed = failed.reason == Reason::cancelled || failed.reason == Reason::ended ||
                      failed.reason == Reason::preempted || failed.reason == Reason::drain;
  take_end(now, caller, failed, !obeyed);
}

template <typename End>
void Attempts::take_end(Instant now, const Caller& caller, const End& end, bool counts) {
  const std::string& host = caller.entry.host;
  JobRecord* record = current(host, end.job, end.attempt);
  if (record != nullptr && !of_this_incarnation(*record, host, end.incarnation)) record = nullptr;
  if (record == nullptr || !sane(end.usage)) return store_late(now, caller, end, counts);
  if constexpr (std::is_same_v<End, Failed>) {
    if (!end.host_lost) outliers.record_failure(now, *record, host, end.reason);
  }
  record->lease.member(host)->reported = true;
  end_member(now, *record, host, checked(now, *record, host, end));
}

template <typename End>
void Attempts::store_late(Instant now, const Caller& caller, const End& end, bool counts) {
  const ResultStored stored{end.job, end.attempt};
  JobRecord* record = jobs.find(end.job);
  if (record == nullptr) {
    // Never accepted here, or ended so long ago that its details are gone.
    if (!jobs.remembered(end.job)) accounting.stale_result();
    outbox.send(now, caller.peer, stored, jobs.remembered(end.job) ? outbox.last_write() : 0);
    return;
  }
  const bool as_reported = is_terminal(record->state) &&
                           (record->state == JobState::finished) == std::is_same_v<End, Finished>;
  const bool repeated = as_reported && record->attempt == end.attempt &&
                        record->lease.member(caller.entry.host) != nullptr;
  const bool known = contains(record->stale, end.attempt);
  if (repeated || known || !counts || end.attempt > record->attempt) {
    outbox.send(now, caller.peer, stored, outbox.last_write());
    return;
  }
  record->stale.push_back(end.attempt);
  accounting.stale_result();
  outbox.send(now, caller.peer, stored, outbox.write(ledger::ended(Transition::stale, now, end)));
}

/// Agents charge on-demand list prices; if the policy prices the pool, or the host is spot, that
/// price is charged.
Usage Attempts::priced_usage(const JobRecord& record, const std::string& host, Usage usage) const {
  const Pool* pool = policy.find_pool(record.lease.pool);
  const auto found = fleet_state.find_host(host);
  if (pool == nullptr || !found) return usage;
  const HostEntry& entry = fleet_state.hosts()[*found];
  const Prices& prices = pool->prices;
  const GroupIndex group = record.reservation.group;
  const auto price =
      usd_per_h(prices, entry.term, group == no_index ? nullptr : fleet_state.groups()[group].spec);
  if (!price) return usage;
  usage.cost_usd = usage.device_s / seconds_per_hour * usd_per_h_there(*price, entry.price_factor) +
                   usage.energy_j / joules_per_kwh * prices.energy_usd_per_kwh * prices.pue;
  return usage;
}

}  // namespace drover::router
