#include "router/attempts/attempts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "router/jobs/attempt_reservation.h"

namespace drover::router {

JobRecord* Attempts::current(const std::string& host, const JobId& job, std::uint32_t attempt) {
  JobRecord* record = jobs.find(job);
  if (record == nullptr || !record->holds_attempt()) return nullptr;
  const bool has_part = record->attempt == attempt && record->lease.member(host) != nullptr;
  return has_part ? record : nullptr;
}

JobRecord* Attempts::current_or_cancel(Instant now, const Caller& caller, const JobId& job,
                                       std::uint32_t attempt) {
  JobRecord* record = current(caller.entry.host, job, attempt);
  if (record == nullptr)
    outbox.send_in_order(now, caller.peer, Cancel{job, attempt, Reason::cancelled});
  return record;
}

void Attempts::reconcile(Instant now, const Caller& caller, const Register& registration,
                         Instant asked_at) {
  std::set<std::pair<JobId, std::uint32_t>> held;
  for (const HeldAttempt& attempt : registration.held) held.emplace(attempt.job, attempt.attempt);
  for (JobRecord* record : jobs.on_host(registration.host)) {
    Member& member = *record->lease.member(registration.host);
    const bool holds = held.contains({record->job.id, record->attempt});
    const bool on_its_way = !member.accepted && asked_at != Instant{} && record->since > asked_at;
    if (holds || on_its_way) {
      member.incarnation = registration.incarnation;
      Allocation kept;  // its samples already show its power
      kept.run_s = record->remaining_s;
      make_reservation(now, *record, kept, fleet_state, tenants);
      if (holds) member_accepted(now, *record, member);
      continue;
    }
    // An Assign may still be on its way to the agent; the Cancel follows it in order.
    outbox.send_in_order(now, caller.peer,
                         Cancel{record->job.id, record->attempt, Reason::unhealthy});
    lose_member(now, *record, registration,
                fmt::format("{} no longer holds the attempt", registration.host), now);
  }
  for (const auto& [id, attempt] : held) {
    if (current(registration.host, id, attempt) != nullptr) continue;
    const JobRecord* record = jobs.find(id);
    if (record != nullptr && record->state == JobState::finished && record->attempt == attempt) {
      outbox.send(now, caller.peer, ResultStored{id, attempt}, record->end_write);
    } else {
      outbox.send_in_order(now, caller.peer, Cancel{id, attempt, Reason::cancelled});
    }
  }
}

void Attempts::send_to_member(Instant now, const Member& member, Message said,
                              std::uint64_t after_write) {
  if (member.used) return;
  if (const auto peer = connections.peer_of(member.host)) {
    outbox.send_in_order(now, {Channel::control, *peer}, std::move(said), after_write);
  }
}

void Attempts::end_member(Instant now, JobRecord& record, const std::string& host, Failed failed) {
  DROVER_REQUIRE(record.holds_attempt());
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return;
  member->used = failed.usage;
  if (!record.lease.failure) {
    record.lease.failure = std::move(failed);
    if (!record.lease.ended_by_all()) {
      cancel_attempt(now, record, Reason::cancelled);
      check_cancels_at(saturating_add(now, settings.heartbeat_every));
    }
  }
  end_attempt(now, record);
}

void Attempts::end_member(Instant now, JobRecord& record, const std::string& host,
                          const Finished& finished) {
  Member* member = record.lease.member(host);
  if (member == nullptr || member->used) return;
  member->used = finished.usage;
  member->outcome = finished.outcome;
  end_attempt(now, record);
}

template <typename Why, typename Lost>
void Attempts::end_members(Instant now, JobRecord& record, Why why, Lost host_lost) {
  const std::uint32_t attempt = record.attempt;
  const std::vector<Member> members = record.lease.members;
  for (const Member& member : members) {
    // The last member to end may have ended the attempt.
    if (!record.holds_attempt() || record.attempt != attempt) return;
    if (member.used) continue;
    const bool gone = host_lost(member);
    Failed lost = failed_attempt(record, why(member));
    lost.host_lost = gone;
    if (!lost.detail.empty()) end_member(now, record, member.host, std::move(lost));
  }
}

void Attempts::end_attempt(Instant now, JobRecord& record) {
  Lease& lease = record.lease;
  if (!lease.ended_by_all()) return;
  const std::uint32_t attempt = record.attempt;
  std::uint64_t write = 0;
  if (lease.failure) {
    Failed whole = *lease.failure;
    whole.usage = lease.used();
    write = ends.requeue(now, record, std::move(whole));
  } else {
    Finished whole;
    whole.job = record.job.id;
    whole.attempt = attempt;
    whole.incarnation = lease.members.front().incarnation;
    whole.usage = lease.used();
    whole.outcome = lease.outcome();
    write = ends.finish(now, record, whole);
  }
  for (const Member& member : lease.members) {
    const auto peer = member.reported ? connections.peer_of(member.host) : std::nullopt;
    if (peer) {
      outbox.send(now, {Channel::control, *peer}, ResultStored{record.job.id, attempt}, write);
    }
  }
}

void Attempts::lose_host(Instant now, const Register& host, const std::string& what,
                         Instant last_contact) {
  for (JobRecord* record : jobs.on_host(host.host))
    lose_member(now, *record, host, fmt::format("host {} {}", host.host, what), last_contact);
}

void Attempts::lose_member(Instant now, JobRecord& record, const Register& host, std::string detail,
                           Instant until) {
  Failed lost = failed_attempt(record, std::move(detail));
  lost.incarnation = host.incarnation;
  lost.host_lost = true;
  lost.usage = estimated_usage(record, *record.lease.member(host.host), until);
  end_member(now, record, host.host, std::move(lost));
}

void Attempts::end_unanswered(Instant now) {
  if (hosts_awaited_until_ && now >= *hosts_awaited_until_) expire_restored_leases(now);
  cancel_unacknowledged(now);
}

void Attempts::expire_restored_leases(Instant now) {
  hosts_awaited_until_.reset();
  std::vector<JobRecord*> out;
  for (const auto& [number, record] : jobs.open()) {
    if (record->holds_attempt()) out.push_back(record);
  }
  for (JobRecord* record : out) {
    end_members(
        now, *record,
        [&](const Member& member) {
          const bool there = connections.peer_of(member.host).has_value();
          return there ? "" : fmt::format("host {} did not return", member.host);
        },
        [](const Member&) { return true; });
  }
}

void Attempts::cancel_unacknowledged(Instant now) {
  // Assignments wait for the disk too: their hosts may have received them late or not at all.
  if (outbox.backpressure().stalled_within(now, settings.lost_after)) return;
  // A host that answers nobody is no fault of the job or its placement.
  const auto is_silent = [&](const Member& member) {
    const auto host = fleet_state.find_host(member.host);
    return !host || fleet_state.hosts()[*host].health != Health::ok;
  };
  for (JobRecord* record : jobs.unacknowledged(now - settings.lost_after)) {
    end_members(
        now, *record,
        [&](const Member& member) -> std::string {
          // From before a restart: its host is still awaited.
          if (member.accepted || !connections.peer_of(member.host)) return "";
          send_to_member(now, member, Cancel{record->job.id, record->attempt, Reason::unhealthy});
          if (!is_silent(member))
            outliers.record_failure(now, *record, member.host, Reason::unhealthy);
          return fmt::format("{} did not acknowledge the assignment", member.host);
        },
        is_silent);
  }
}

void Attempts::cancel_attempt(Instant now, const JobRecord& record, Reason reason,
                              std::uint64_t after_write) {
  for (const Member& member : record.lease.members) {
    send_to_member(now, member, Cancel{record.job.id, record.attempt, reason}, after_write);
  }
}

void Attempts::cancel(Instant now, const std::vector<JobRecord*>& records,
                      std::uint64_t after_write) {
  for (JobRecord* record : records) {
    cancel_attempt(now, *record, Reason::cancelled, after_write);
    publisher.publish_job(now, *record);
  }
  check_cancels_at(saturating_add(now, settings.heartbeat_every));
}

void Attempts::end_run(Instant now) {
  hosts_awaited_until_.reset();
  std::vector<JobRecord*> open;
  for (const auto& [number, record] : jobs.open()) open.push_back(record);
  for (JobRecord* record : open) {
    if (record->holds_attempt()) cancel_attempt(now, *record, Reason::ended);
    ends.fail(now, *record, Reason::ended, "the run ended before the job did");
  }
}

std::optional<Reason> Attempts::cancel_reason(Instant now, const JobRecord& record) const {
  if (!record.cancelled.empty()) return Reason::cancelled;
  const Preemption* preemption = preemptions.against(record);
  if (preemption != nullptr && PreemptionTable::is_due(*preemption, record, now)) {
    return Reason::preempted;
  }
  for (const Member& member : record.lease.members) {
    if (is_drained(now, record, member)) return Reason::drain;
  }
  // A member of the gang is lost: the others are cancelled.
  if (record.lease.failure) return Reason::cancelled;
  return std::nullopt;
}

bool Attempts::is_drained(Instant now, const JobRecord& record, const Member& member) const {
  const auto host = fleet_state.find_host(member.host);
  if (!host) return false;
  const auto devices = member_devices(fleet_state, record, member);
  return std::ranges::any_of(devices, [&](std::uint16_t number) {
    if (number >= fleet_state.hosts()[*host].devices.size()) return false;
    const auto* word = drains.order_for(location_of(fleet_state, policy, *host, number));
    return word != nullptr && word->deadline <= now;
  });
}

void Attempts::cancel_due(Instant now) {
  if (now < next_cancel_) return;
  for (const Target& target : drains.take_expired(now)) {
    publisher.event(now, Severity::warning, to_text(target),
                    "its drain deadline has passed: work still running there is requeued");
  }
  next_cancel_ = std::min(drains.next_deadline(), preemptions.next_grace_end(now));
  for (const HostEntry& host : fleet_state.hosts()) {
    for (const JobRecord* record : jobs.on_host(host.registration.host)) {
      const auto reason = cancel_reason(now, *record);
      if (!reason) continue;
      send_to_member(now, *record->lease.member(host.registration.host),
                     Cancel{record->job.id, record->attempt, *reason});
      check_cancels_at(saturating_add(now, settings.heartbeat_every));
    }
  }
}

}  // namespace drover::router
