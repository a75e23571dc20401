// The members of an attempt: each host's part of it. An attempt on a replica and a gang inside one
// group have one; a multi-host gang has several, and runs on all or none.
//
// Its devices are reserved on every host at once, in FleetState and then by each agent. When all
// members have accepted and reported their step times, the first GangStepTime starts them. Before
// that, a host that refuses or does not answer in time rolls back the others; afterwards the loss
// of a member ends the attempt for all. The attempt is over when every member has ended, and is
// counted once, with the usage of all.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "router/jobs/plausibility_bounds.h"
#include "router/router_core.h"

namespace drover::router {

void RouterCore::member_accepted(Instant now, JobRecord& record, Member& member) {
  member.accepted = true;
  if (!record.lease.over_hosts()) mark_running(now, record);
}

void RouterCore::handle(Instant now, Caller caller, const MemberStepTime& step_time) {
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

void RouterCore::send_to_member(Instant now, const Member& member, Message said,
                                std::uint64_t after_write) {
  if (member.used) return;
  if (const auto peer = connections.peer_of(member.host)) {
    outbox.send_in_order(now, {Channel::control, *peer}, std::move(said), after_write);
  }
}

void RouterCore::cancel_attempt(Instant now, const JobRecord& record, Reason reason,
                                std::uint64_t after_write) {
  for (const Member& member : record.lease.members) {
    send_to_member(now, member, Cancel{record.job.id, record.attempt, reason}, after_write);
  }
}

std::uint64_t RouterCore::end_member(Instant now, JobRecord& record, const std::string& host,
                                     Failed failed) {
  DROVER_REQUIRE(record.holds_attempt());
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return 0;
  member->used = failed.usage;
  if (!record.lease.failure) {
    record.lease.failure = std::move(failed);
    if (!record.lease.ended_by_all()) {
      cancel_attempt(now, record, Reason::cancelled);
      next_cancel = std::min(next_cancel, saturating_add(now, settings.heartbeat_every));
    }
  }
  return end_attempt(now, record);
}

std::uint64_t RouterCore::end_member(Instant now, JobRecord& record, const std::string& host,
                                     const Finished& finished) {
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return 0;
  member->used = finished.usage;
  member->outcome = finished.outcome;
  return end_attempt(now, record);
}

std::uint64_t RouterCore::end_attempt(Instant now, JobRecord& record) {
  Lease& lease = record.lease;
  if (!lease.ended_by_all()) return 0;
  const std::uint32_t attempt = record.attempt;
  std::uint64_t write = 0;
  if (lease.failure) {
    Failed whole = *lease.failure;
    whole.usage = lease.used();
    write = requeue(now, record, std::move(whole));
  } else {
    Finished whole;
    whole.job = record.job.id;
    whole.attempt = attempt;
    whole.incarnation = lease.members.front().incarnation;
    whole.usage = lease.used();
    whole.outcome = lease.outcome();
    write = finish(now, record, whole);
  }
  for (const Member& member : lease.members) {
    const auto peer = member.reported ? connections.peer_of(member.host) : std::nullopt;
    if (peer) {
      outbox.send(now, {Channel::control, *peer}, ResultStored{record.job.id, attempt}, write);
    }
  }
  return write;
}

}  // namespace drover::router
