// Agents' reports on attempts, and the only code that ends jobs.
//
// An attempt is current when the ledger's last lease of its job names it and its host. A result of
// any other attempt is late: it is stored as `stale`, acknowledged, and never charged.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "fleet/base/contains.h"
#include "fleet/base/text.h"
#include "router/jobs/checkpoints.h"
#include "router/jobs/plausibility_bounds.h"
#include "router/policy/work_class.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

// Length limit of details: they are part of every change of the job.
constexpr std::size_t detail_max = 200;

// Back-off stops doubling after this many failures: from one second, at about a minute.
constexpr std::uint32_t back_off_doublings_max = 6;
// Back-offs end on a grid of this share of the shortest one, so that jobs that failed at about the
// same time wait as one class.
constexpr std::int64_t back_off_grid = 4;

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

/// Clamps implausible figures of an attempt and reports them now and then.
template <typename End>
void cut_figures(RouterCore& core, Instant now, const JobRecord& record, const std::string& host,
                 End& end) {
  const Duration elapsed = now - record.lease.begun + 2 * core.settings.heartbeat_every;
  const PlausibleUsage most = bounds_of(core.fleet_state, *record.lease.member(host), elapsed);
  const Usage said = end.usage;
  bool less = clamp_to(end.usage, most);
  if constexpr (std::is_same_v<End, Finished>)
    less = clamp_to(end.outcome, most, record.job) || less;
  if (!less) return;
  core.rejected.count_implausible(
      now, host,
      fmt::format("the result of job {} ({:.3g} device-seconds, {:.3g} J, {:.3g} USD, clamped)",
                  to_short_text(record.job.id), said.device_s, said.energy_j, said.cost_usd));
}

}  // namespace

JobRecord* RouterCore::current(const std::string& host, const JobId& job, std::uint32_t attempt) {
  JobRecord* record = jobs.find(job);
  if (record == nullptr || !record->holds_attempt()) return nullptr;
  const bool has_part = record->attempt == attempt && record->lease.member(host) != nullptr;
  return has_part ? record : nullptr;
}

void RouterCore::handle(Instant now, Caller caller, const Accepted& accepted) {
  JobRecord* record = current(caller.entry.host, accepted.job, accepted.attempt);
  if (record == nullptr) {
    outbox.send_in_order(now, caller.peer,
                         Cancel{accepted.job, accepted.attempt, Reason::cancelled});
    return;
  }
  member_accepted(now, *record, *record->lease.member(caller.entry.host));
}

void RouterCore::mark_running(Instant now, JobRecord& record) {
  if (record.state == JobState::running) return;
  record.state = JobState::running;
  record.since = now;
  outbox.write(ledger::running(now, record));
  publisher.publish_job(now, record);
}

void RouterCore::handle(Instant now, Caller caller, const Progress& progress) {
  JobRecord* record = current(caller.entry.host, progress.job, progress.attempt);
  if (record == nullptr) {
    outbox.send_in_order(now, caller.peer,
                         Cancel{progress.job, progress.attempt, Reason::cancelled});
    return;
  }
  // All members are at the same step: the first reports for them.
  if (record->lease.members.front().host != caller.entry.host) return;
  if (!std::isnan(progress.share)) record->progress = std::clamp(progress.share, 0.0, 1.0);
  record->steps_saved = estimated_checkpoint(*record, progress.steps_saved);
  if (preemptions.against(*record) != nullptr) next_cancel = std::min(next_cancel, now);
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

void RouterCore::update_busy_until(Instant now, const JobRecord& record) {
  const Instant until = saturating_add(now, from_seconds(record.remaining_s));
  for (const Member& member : record.lease.members) {
    const auto host = fleet_state.find_host(member.host);
    if (host && !member.used)
      fleet_state.set_busy_until(record.job.id, *host, member.devices, until);
  }
}

void RouterCore::handle(Instant now, Caller caller, const Refused& refusal) {
  JobRecord* record = current(caller.entry.host, refusal.job, refusal.attempt);
  if (record == nullptr) return;
  Failed failed = failed_attempt(*record, refusal.detail);
  failed.incarnation = caller.entry.incarnation;
  failed.reason = refusal.reason;
  record_failure(now, *record, caller.entry.host, failed.reason);
  end_member(now, *record, caller.entry.host, std::move(failed));
}

void RouterCore::handle(Instant now, Caller caller, const Finished& finished) {
  const std::string& host = caller.entry.host;
  JobRecord* record = current(host, finished.job, finished.attempt);
  if (record != nullptr && !of_this_incarnation(*record, host, finished.incarnation))
    record = nullptr;
  if (record == nullptr || !sane(finished.usage)) return store_late(now, caller, finished, true);
  record->lease.member(host)->reported = true;
  Finished priced = finished;
  cut_figures(*this, now, *record, host, priced);
  priced.usage = priced_usage(*record, host, priced.usage);
  end_member(now, *record, host, priced);
}

std::uint64_t RouterCore::finish(Instant now, JobRecord& record, const Finished& finished) {
  record_success(now, record);
  const Reservation reservation = record.reservation;
  const std::uint64_t write = outbox.write(ledger::ended(Transition::finished, now, finished));
  release(record, true);
  record.usage += finished.usage;
  record.outcome = finished.outcome;
  record.latency_s = to_seconds(now - record.submitted);
  record.reason = record.lease.fallback;
  record.progress = 1;
  Usage charged = finished.usage;
  charged += record.kept;
  accounting.finished(record.job, charged, finished.outcome, record.latency_s);
  if (const WorkClass* work_class = policy.find_class(record.work_class)) {
    const auto value =
        metric_of(work_class->metric, record.job, record.usage, record.outcome, record.latency_s);
    if (value) accounting.finished_in(*work_class, *value);
  }
  if (reservation.made && reservation.group != no_index && record.lease.predicted_s > 0) {
    estimator.learn(reservation.group, record.job.work.kind, record.job.work.model,
                    record.lease.predicted_s, finished.outcome.run_s, record.lease.ratio);
  }
  close_job(now, record, JobState::finished, write);
  return write;
}

void RouterCore::handle(Instant now, Caller caller, const Failed& failed) {
  const std::string& host = caller.entry.host;
  JobRecord* record = current(host, failed.job, failed.attempt);
  if (record != nullptr && !of_this_incarnation(*record, host, failed.incarnation))
    record = nullptr;
  // A Failed that only confirms a Cancel is not a late result.
  const bool obeyed = failed.reason == Reason::cancelled || failed.reason == Reason::ended ||
                      failed.reason == Reason::preempted || failed.reason == Reason::drain;
  if (record == nullptr || !sane(failed.usage)) return store_late(now, caller, failed, !obeyed);
  if (!failed.host_lost) record_failure(now, *record, host, failed.reason);
  record->lease.member(host)->reported = true;
  Failed priced = failed;
  cut_figures(*this, now, *record, host, priced);
  priced.usage = priced_usage(*record, host, priced.usage);
  end_member(now, *record, host, std::move(priced));
}

template <typename End>
void RouterCore::store_late(Instant now, Caller caller, const End& end, bool counts) {
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
Usage RouterCore::priced_usage(const JobRecord& record, const std::string& host,
                               Usage usage) const {
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

void RouterCore::release_reservation(JobRecord& record) {
  const Reservation reservation = std::exchange(record.reservation, Reservation{});
  if (!reservation.made) return;
  tenants.ended(record.job.tenant, reservation.devices);
  if (record.lease.replica) {
    fleet_state.release_request(reservation.replica, reservation.tokens, reservation.prompt);
  } else {
    for (const Member& member : record.lease.members) {
      if (const auto host = fleet_state.find_host(member.host)) {
        fleet_state.release_gang(record.job.id, *host, member.devices);
      }
    }
  }
}

void RouterCore::release(JobRecord& record, bool finished) {
  if (std::exchange(record.lease.probe, false)) failbacks.probe_ended(record.lease.rule, finished);
  release_reservation(record);
  jobs.unbind(record);
  if (record.lease.replica) {
    queue.wake_model(record.job.work.model);
  } else {
    queue.wake_all();
  }
}

std::uint64_t RouterCore::requeue(Instant now, JobRecord& record, Failed failed) {
  DROVER_REQUIRE(record.holds_attempt());
  failed.detail = printable(failed.detail.substr(0, detail_max));
  if (!record.cancelled.empty()) {
    failed.reason = Reason::cancelled;
    failed.detail = record.cancelled;
  }
  const Preemption* preemption = preemptions.against(record);
  if (failed.reason == Reason::preempted && preemption != nullptr && failed.detail.empty()) {
    failed.detail = fmt::format("its devices are reserved for {}", to_short_text(preemption->job));
  }
  fill_end_steps(record, failed);
  const bool sent_away = failed.reason == Reason::drain || failed.reason == Reason::preempted;
  if (sent_away && record.lease.accepted_by_any()) failed.host_lost = true;
  const bool excused = record.excuses(failed);
  const std::uint32_t spent = record.attempt - record.excused - (excused ? 1 : 0);
  const bool final = failed.reason == Reason::cancelled || failed.reason == Reason::ended ||
                     spent >= policy.retry.attempts_max || ending;
  if (final) return fail(now, record, std::move(failed));
  const std::uint64_t write = outbox.write(ledger::ended(Transition::returned, now, failed));
  release(record);
  if (excused) record.excuse(failed.reason);
  if (excused && failed.reason == Reason::preempted) accounting.preempted();
  accounting.wasted(keep_checkpoint(record, failed));
  record.usage += failed.usage;
  if (!excused) record.avoid.insert(record.lease.target);
  record.failed_last = !excused;
  record.last_reason = failed.reason;
  record.state = JobState::queued;
  record.since = now;
  record.progress = saved_share(record);
  record.remaining_s = 0;
  record.reason = failed.reason;
  record.returned = return_text(now, record.attempt, failed);
  record.detail = std::move(failed.detail);
  // A drained place gets no new work anyway, and a lost one none until it returns.
  record.retry_at = excused ? now : retry_time(now, record.attempt - record.excused);
  if (record.retry_at > now) back_offs.emplace(record.retry_at, record.job.work.model);
  set_job_class(record);  // the policy may have changed since the placement
  enqueue(record);
  publisher.publish_job(now, record);
  return write;
}

// Exponential back-off: a place that just refused will hardly accept at once, and one round trip
// could use up all attempts.
Instant RouterCore::retry_time(Instant now, std::uint32_t attempts) const {
  const Duration shortest = from_seconds(policy.retry.backoff_s * settings.speed);
  const std::int64_t grid = shortest.count() / back_off_grid;
  if (grid <= 0) return now;
  const std::uint32_t doublings = std::min(attempts - 1, back_off_doublings_max);
  const Instant earliest = saturating_add(now, shortest * (std::int64_t{1} << doublings));
  const std::int64_t over = earliest.time_since_epoch().count() % grid;
  return over == 0 ? earliest : saturating_add(earliest, Duration(grid - over));
}

std::uint64_t RouterCore::fail(Instant now, JobRecord& record, Reason reason, std::string detail) {
  Failed failed = failed_attempt(record, std::move(detail));
  failed.reason = reason;
  failed.usage = estimated_usage(record, now);
  return fail(now, record, std::move(failed));
}

std::uint64_t RouterCore::fail(Instant now, JobRecord& record, Failed failed) {
  if (record.holds_attempt()) release(record);
  dequeue(record);
  const std::uint64_t write = outbox.write(ledger::ended(Transition::failed, now, failed));
  accounting.wasted(failed.usage);
  accounting.wasted(record.kept);  // its checkpoints are useless now
  accounting.failed(failed.reason);
  record.usage += failed.usage;
  record.reason = failed.reason;
  record.detail = std::move(failed.detail);
  record.latency_s = to_seconds(now - record.submitted);
  close_job(now, record, end_state(failed.reason), write);
  return write;
}

void RouterCore::close_job(Instant now, JobRecord& record, JobState state, std::uint64_t write) {
  DROVER_REQUIRE(!is_terminal(record.state) && is_terminal(state));
  deadlines.erase({record.deadline(), record.number});
  end_preemption(now, record.job.id, "it has ended");
  record.state = state;
  record.since = now;
  record.remaining_s = 0;
  record.end_write = write;
  publisher.publish_job(now, record);
  jobs.ended(record);
}

}  // namespace drover::router
