#include "router/attempts/job_ends.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "router/jobs/attempt_reservation.h"
#include "router/jobs/checkpoints.h"
#include "router/ledger/ledger.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

// Length limit of details: they are part of every change of the job.
constexpr std::size_t detail_max = 200;

// Back-off stops doubling after this many failures: from one second, at about a minute.
constexpr std::uint32_t back_off_doublings_max = 6;
// Back-offs end on a grid of this share of the shortest one, so that jobs that failed at about the
// same time wait as one class.
constexpr std::int64_t back_off_grid = 4;

}  // namespace

std::uint64_t JobEnds::finish(Instant now, JobRecord& record, const Finished& finished) {
  outliers.record_success(now, record);
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
    if (value) accounting.finished_in(now, *work_class, *value);
  }
  if (reservation.made && reservation.group != no_index && record.lease.predicted_s > 0) {
    estimator.learn(reservation.group, record.job.work.kind, record.job.work.model,
                    record.lease.predicted_s, finished.outcome.run_s, record.lease.ratio);
  }
  close_job(now, record, JobState::finished, write);
  return write;
}

std::uint64_t JobEnds::requeue(Instant now, JobRecord& record, Failed failed) {
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
                     spent >= policy.retry.attempts_max || waiting.closed();
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
  if (record.retry_at > now) waiting.wake_at(record.retry_at, record.job.work.model);
  waiting.add(record);
  publisher.publish_job(now, record);
  return write;
}

// Exponential back-off: a place that just refused will hardly accept at once, and one round trip
// could use up all attempts.
Instant JobEnds::retry_time(Instant now, std::uint32_t attempts) const {
  const Duration shortest = from_seconds(policy.retry.backoff_s * settings.speed);
  const std::int64_t grid = shortest.count() / back_off_grid;
  if (grid <= 0) return now;
  const std::uint32_t doublings = std::min(attempts - 1, back_off_doublings_max);
  const Instant earliest = saturating_add(now, shortest * (std::int64_t{1} << doublings));
  const std::int64_t over = earliest.time_since_epoch().count() % grid;
  return over == 0 ? earliest : saturating_add(earliest, Duration(grid - over));
}

std::uint64_t JobEnds::fail(Instant now, JobRecord& record, Reason reason, std::string detail) {
  Failed failed = failed_attempt(record, std::move(detail));
  failed.reason = reason;
  failed.usage = estimated_usage(record, now);
  return fail(now, record, std::move(failed));
}

std::uint64_t JobEnds::fail(Instant now, JobRecord& record, Failed failed) {
  if (record.holds_attempt()) release(record);
  waiting.remove(record);
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

void JobEnds::expire(Instant now) {
  while (JobRecord* record = waiting.take_late(now)) {
    fail(now, *record, Reason::deadline, "its deadline passed while it waited");
  }
  while (JobRecord* record = queue.overdue(now)) {
    const Reason reason = queue.waits_for(*record).value_or(Reason::queue_slo);
    fail(now, *record, reason,
         fmt::format("waited {} s, the longest that its rule allows",
                     to_seconds(now - record->wait_began())));
  }
}

void JobEnds::release(JobRecord& record, bool finished) {
  if (std::exchange(record.lease.probe, false)) failbacks.probe_ended(record.lease.rule, finished);
  release_reservation(record, fleet_state, tenants);
  jobs.unbind(record);
  if (record.lease.replica) {
    queue.wake_model(record.job.work.model);
  } else {
    queue.wake_all();
  }
}

void JobEnds::close_job(Instant now, JobRecord& record, JobState state, std::uint64_t write) {
  DROVER_REQUIRE(!is_terminal(record.state) && is_terminal(state));
  waiting.forget_deadline(record);
  reserved.end(now, record.job.id, "it has ended");
  record.state = state;
  record.since = now;
  record.remaining_s = 0;
  record.end_write = write;
  publisher.publish_job(now, record);
  jobs.ended(record);
}

}  // namespace drover::router
