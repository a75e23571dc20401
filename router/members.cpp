// The members of an attempt: each host's part of it. A replica's attempt and a gang inside one
// group have one; a gang over hosts has several, and is all or nothing.
//
// Its devices are reserved on every host at once, in the roster and then by its agent. When all
// have taken it and told their paces, the first GangPace confirms it and they begin. Until then a
// host that refuses, or does not answer in time, rolls the others back; afterwards a member that is
// lost ends the attempt for all. The attempt is over when every member has ended, and is counted
// once, with what all of them used.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "router/jobs/figure_bounds.h"
#include "router/state.h"

namespace drover::router {

void Core::joined(Instant now, JobRecord& record, Member& member) {
  member.accepted = true;
  if (!record.lease.over_hosts()) run(now, record);
}

void Core::paced(Instant now, Caller caller, const MemberPace& told) {
  JobRecord* record = current(caller.entry.host, told.job, told.attempt);
  if (record == nullptr || !record->lease.over_hosts()) return;
  Lease& lease = record->lease;
  MemberPace pace = told;
  const bool less = cut_estimate(pace.compute_s);
  if (cut_estimate(pace.exchange_s) || less) {
    note_cut(now, caller.entry.host,
             fmt::format("the pace of job {} ({:.3g} s and {:.3g} s a step)",
                         to_short_text(record->job.id), told.compute_s, told.exchange_s));
  }
  lease.member(caller.entry.host)->pace = pace;
  const auto step_s = lease.gang_step_s();
  if (!step_s || !lease.accepted_by_all() || lease.failure) return;
  const bool all = *step_s != lease.step_s || record->state != JobState::running;
  const Pause before = pause_of(*record);
  const bool ran = record->state == JobState::running;
  lease.step_s = *step_s;
  for (const Member& member : lease.members) {
    // One that has been away may have missed the last one.
    if (!all && member.host != caller.entry.host) continue;
    tell(now, member, GangPace{record->job.id, record->attempt, *step_s});
  }
  run(now, *record);
  if (ran && pause_of(*record) != before) publish_job(now, *record);
}

void Core::tell(Instant now, const Member& member, Message said, std::uint64_t after_write) {
  if (member.used) return;
  if (const auto peer = peers.peer_of(member.host)) {
    mail.send_in_order(now, {Channel::control, *peer}, std::move(said), after_write);
  }
}

void Core::call_off(Instant now, const JobRecord& record, Reason reason,
                    std::uint64_t after_write) {
  for (const Member& member : record.lease.members) {
    tell(now, member, Cancel{record.job.id, record.attempt, reason}, after_write);
  }
}

std::uint64_t Core::end_member(Instant now, JobRecord& record, const std::string& host,
                               Failed failed) {
  DROVER_REQUIRE(record.holds_attempt());
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return 0;
  member->used = failed.usage;
  if (!record.lease.failure) {
    record.lease.failure = std::move(failed);
    if (!record.lease.ended_by_all()) {
      call_off(now, record, Reason::cancelled);
      next_call_off = std::min(next_call_off, saturating_add(now, settings.heartbeat_every));
    }
  }
  return conclude(now, record);
}

std::uint64_t Core::end_member(Instant now, JobRecord& record, const std::string& host,
                               const Finished& finished) {
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return 0;
  member->used = finished.usage;
  member->outcome = finished.outcome;
  return conclude(now, record);
}

std::uint64_t Core::conclude(Instant now, JobRecord& record) {
  Lease& lease = record.lease;
  if (!lease.ended_by_all()) return 0;
  const std::uint32_t attempt = record.attempt;
  std::uint64_t write = 0;
  if (lease.failure) {
    Failed whole = *lease.failure;
    whole.usage = lease.used();
    write = give_back(now, record, std::move(whole));
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
    const auto peer = member.reported ? peers.peer_of(member.host) : std::nullopt;
    if (peer) {
      mail.send(now, {Channel::control, *peer}, ResultStored{record.job.id, attempt}, write);
    }
  }
  return write;
}

}  // namespace drover::router
